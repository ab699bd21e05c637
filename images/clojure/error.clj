;; The description of a thrown object, as text in the notation of the wire. A function, to be called on `*e`.
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
        ;; A sorted map compares keys, and those that are asked for here may not be comparable with its own.
        spec? (boolean (some #{:clojure.spec.alpha/problems} (keys (ex-data root))))
        message (or (when (and early? spec?)
                      (try (let [text ((resolve 'clojure.main/ex-str)
                                       ((resolve 'clojure.main/ex-triage) (Throwable->map thrown)))]
                             (.trim (subs text (inc (.indexOf ^String text "\n")))))
                           (catch Throwable _ nil)))
                    (when (instance? ClassNotFoundException root)
                      (str (.getMessage ^Throwable root) ": no class is called so, and no namespace that is loaded"))
                    (.getMessage ^Throwable root)
                    (when (instance? StackOverflowError root) "The stack is exhausted.")
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
        data-of (fn [thrown before]
                  (when-let [data (seq (remove (fn [[key]]
                                                 (contains? #{:clojure.error/phase :clojure.error/line :clojure.error/column
                                                              :clojure.error/source :clojure.error/symbol}
                                                            key))
                                               (ex-data thrown)))]
                    (str before
                         (try (binding [*print-length* 20 *print-level* 5] (pr-str (apply array-map (mapcat identity data))))
                              (catch Throwable e (str "cannot be printed: " (.getMessage e)))))))
        data (when-not spec? (data-of root "\nex-data: "))
        around (apply str
                      (for [^Throwable e (reverse (butlast chain))
                            :when (not (some (fn [key] (and (keyword? key) (= "clojure.error" (namespace key))))
                                             (keys (ex-data e))))]
                        (str "\nwrapped in " (name-of e) ": " (.getMessage e) (data-of e " "))))
        system? (fn [class-name]
                  (re-find #"^(clojure\.(lang|core|main|walk|spec|pprint|test|repl|string)\b|nrepl\.|lispwright\.|cider\.|refactor-nrepl\.|java\.|javax\.|jdk\.|sun\.|sci\.|babashka\.)"
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
        ;; A function is called through a second method of its class, which is not shown.
        again? (fn [^StackTraceElement before ^StackTraceElement element]
                 (and before
                      (= (.getClassName before) (.getClassName element))
                      (= "invokeStatic" (.getMethodName before))
                      (contains? #{"invoke" "doInvoke"} (.getMethodName element))))
        elements (seq (.getStackTrace ^Throwable root))
        own (->> (map (fn [before element] (when-not (again? before element) element)) (cons nil elements) elements)
                 (filter (fn [^StackTraceElement element]
                           (and element (.getFileName element) (pos? (.getLineNumber element))
                                (not (system? (.getClassName element))))))
                 vec)
        ;; The number of frames from `start` on that repeat, and of their repetitions, if there are many.
        repetition (fn [start]
                     (first (keep (fn [period]
                                    (let [last-one (- (count own) period)
                                          end (loop [position start]
                                                (if (and (< position last-one)
                                                         (= (nth own position) (nth own (+ position period))))
                                                  (recur (inc position))
                                                  position))
                                          times (inc (quot (- end start) period))]
                                      (when (>= times 4) [period times])))
                                  (range 1 5))))
        ;; [number element [period times-left-out]]: of repeated frames the first and the last repetition.
        folded (loop [start 0 folded []]
                 (if (or (>= start (count own)) (>= (count folded) 20))
                   (take 20 folded)
                   (let [[period times] (repetition start)
                         once (fn [from left-out]
                                (map (fn [number] [number (nth own number)
                                                   (when (and left-out (= number (+ from period -1))) [period left-out])])
                                     (range from (+ from period))))]
                     (if period
                       (let [again (+ start (* period (dec times)))]
                         (recur (+ again period) (into folded (concat (once start (- times 2)) (once again nil)))))
                       (recur (inc start) (conj folded [start (nth own start) nil]))))))
        ;; The limit of the JVM.
        cut? (>= (count elements) 1024)
        frames (for [[number ^StackTraceElement element repeated] folded
                     :let [class-name (.getClassName element) file (.getFileName element)]]
                 [number
                  (called class-name (.getMethodName element))
                  (if (re-find #"\.(clj[cs]?|bb|java)$" file)
                    (path-of (first (.split ^String class-name "\\$")) file)
                    "code")
                  (.getLineNumber element)
                  repeated])]
    (str "(:TYPE " (quoted (name-of root))
         " :MESSAGE " (quoted (str message doing data around))
         " :PHASE :" (name (or phase :execution))
         " :LINE " (number (:clojure.error/line located))
         " :COLUMN " (number (:clojure.error/column located))
         (when (and early? (not (contains? #{nil "NO_SOURCE_PATH" "NO_SOURCE_FILE" "REPL"} (:clojure.error/source located))))
           (str " :SOURCE " (quoted (or (:clojure.error/path located) (:clojure.error/source located)))))
         " :FRAMES (" (apply str (for [[position call file line [period times]] frames]
                                   (str "(:NUMBER " position " :CALL " (quoted call) " :FILE " (quoted file)
                                        " :LINE " (number line)
                                        (when period
                                          (str " :PERIOD " period " :REPEATED " times (when cut? " :AT-LEAST T")))
                                        ")")))
         "))")))
