;; What is known about a thrown object, as text in the notation of the wire. A function, to be called on `*e`.
;; Runs on the JVM and in Babashka; nothing is defined.
(fn [thrown]
  (let [quoted (fn [text]
                 (let [text (str text)
                       text (if (> (count text) 4000) (str (subs text 0 4000) " ...") text)]
                   (str \" (.replace (.replace ^String text "\\" "\\\\") "\"" "\\\"") \")))
        number (fn [n] (if (and (integer? n) (pos? n)) (str n) "NIL"))
        name-of (fn [object] (.getName ^Class (class object)))
        chain (take 8 (take-while some? (iterate (fn [^Throwable e] (.getCause e)) thrown)))
        root (last chain)
        located (apply merge (reverse (map (fn [e] (into {} (filter (fn [[key]] (= "clojure.error" (namespace key))))
                                                         (filter (comp keyword? key) (ex-data e))))
                                           chain)))
        phase (:clojure.error/phase located)
        early? (contains? #{:read-source :macro-syntax-check :macroexpansion :compile-syntax-check :compilation} phase)
        spec? (contains? (ex-data root) :clojure.spec.alpha/problems)
        message (or (when (and early? spec?)
                      (try (let [text ((resolve 'clojure.main/ex-str)
                                       ((resolve 'clojure.main/ex-triage) (Throwable->map thrown)))]
                             (.trim (subs text (inc (.indexOf ^String text "\n")))))
                           (catch Throwable _ nil)))
                    (.getMessage ^Throwable root)
                    (name-of root))
        doing (when early?
                (str "\nwhile " ({:read-source "reading" :macroexpansion "expanding a macro"
                                  :macro-syntax-check "expanding a macro"} phase "compiling")
                     (when-let [symbol (:clojure.error/symbol located)] (str " " symbol))
                     (when-let [line (:clojure.error/line located)]
                       (let [source (:clojure.error/source located)]
                         (str ", "
                              (if (contains? #{nil "NO_SOURCE_PATH" "NO_SOURCE_FILE" "REPL"} source) "line " (str source ":"))
                              line)))))
        data (when-not spec?
               (when-let [data (not-empty (dissoc (or (ex-data root) {}) :clojure.error/phase :clojure.error/line
                                                  :clojure.error/column :clojure.error/source :clojure.error/symbol))]
                 (str "\nex-data: "
                      (try (binding [*print-length* 20 *print-level* 5] (pr-str data))
                           (catch Throwable e (str "cannot be printed: " (.getMessage e)))))))
        around (apply str
                      (for [^Throwable e (reverse (butlast chain))
                            :when (not (some (fn [key] (and (keyword? key) (= "clojure.error" (namespace key))))
                                             (keys (ex-data e))))]
                        (str "\nwrapped in " (name-of e) ": " (.getMessage e))))
        system? (fn [class-name]
                  (re-find #"^(clojure\.(lang|core|main|walk|spec|pprint|test|repl|string)\b|nrepl\.|cider\.|refactor-nrepl\.|java\.|javax\.|jdk\.|sun\.|sci\.|babashka\.)"
                           class-name))
        path-of (fn [class-name file]
                  (let [directory (re-find #"^.*\." class-name)
                        inside (str (when directory (.replace ^String directory "." "/")) file)
                        url (try (when-let [find (resolve 'clojure.java.io/resource)] (or (find inside) (find file)))
                                 (catch Throwable _ nil))]
                    (if (and url (= "file" (.getProtocol ^java.net.URL url)))
                      (.getPath ^java.net.URL url)
                      file)))
        called (fn [class-name method]
                 (if (re-find #"\$" class-name)
                   (-> (try ((resolve 'clojure.main/demunge) class-name) (catch Throwable _ class-name))
                       (.replaceAll "/eval\\d+" "/eval")
                       (.replaceAll "--\\d+" ""))
                   (str class-name "." method)))
        ;; A function is called through a second method of its class, which adds nothing.
        again? (fn [^StackTraceElement before ^StackTraceElement element]
                 (and before
                      (= (.getClassName before) (.getClassName element))
                      (= "invokeStatic" (.getMethodName before))
                      (contains? #{"invoke" "doInvoke"} (.getMethodName element))))
        elements (seq (.getStackTrace ^Throwable root))
        frames (->> (map (fn [before element] (when-not (again? before element) element)) (cons nil elements) elements)
                    (remove nil?)
                    (keep (fn [^StackTraceElement element]
                            (let [class-name (.getClassName element)
                                  file (.getFileName element)
                                  line (.getLineNumber element)]
                              (when-not (or (system? class-name) (nil? file) (not (pos? line)))
                                [(called class-name (.getMethodName element))
                                 (if (re-find #"\.(clj[cs]?|bb|java)$" file)
                                   (path-of (first (.split ^String class-name "\\$")) file)
                                   "code")
                                 line]))))
                    (take 20))]
    (str "(:TYPE " (quoted (name-of root))
         " :MESSAGE " (quoted (str message doing data around))
         " :PHASE :" (name (or phase :execution))
         " :LINE " (number (:clojure.error/line located))
         " :COLUMN " (number (:clojure.error/column located))
         (when (and early? (not (contains? #{nil "NO_SOURCE_PATH" "NO_SOURCE_FILE" "REPL"} (:clojure.error/source located))))
           (str " :SOURCE " (quoted (or (:clojure.error/path located) (:clojure.error/source located)))))
         " :FRAMES (" (apply str (for [[call file line] frames]
                                   (str "(:CALL " (quoted call) " :FILE " (quoted file) " :LINE " (number line) ")")))
         "))")))
