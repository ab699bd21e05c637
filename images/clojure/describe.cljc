;; The meanings of a name, as text in the notation of the wire. A function of the name of the namespace in which it is
;; resolved, of the name, and of the number of characters of a documentation string. Runs on the JVM, in Babashka and on
;; Node; nothing is defined.
(fn [space text limit]
  (let [wanted (symbol (apply str (drop-while (fn [character] (contains? #{"#" "'" " "} (str character))) text)))
        cut (fn [text most] (let [text (str text)] (if (> (count text) most) (subs text 0 most) text)))
        quoted (fn [text]
                 (str "\"" (apply str (map (fn [character]
                                             (case (str character) "\\" "\\\\" "\"" "\\\"" character))
                                           (str text)))
                      "\""))
        attempt (fn [function] (try (function) (catch #?(:clj Throwable :default :default) _ nil)))
        shown (fn [value]
                (or (attempt (fn [] (binding [*print-length* 8 *print-level* 4] (cut (pr-str value) 200))))
                    "(does not print)"))
        fact (fn [name text] (when text (str "(" (quoted name) " " (quoted text) ")")))
        names (fn [names] (apply str (interpose " " (take 200 (sort (map str names))))))
        path-of (fn [file]
                  (when (and (string? file) (not (contains? #{"NO_SOURCE_PATH" "NO_SOURCE_FILE" "REPL" ""} file)))
                    #?(:clj (let [url (attempt (fn [] ((resolve 'clojure.java.io/resource) file)))]
                              (cond (and url (= "file" (.getProtocol ^java.net.URL url))) (.getPath ^java.net.URL url)
                                    (.isAbsolute (java.io.File. ^String file)) file))
                       :default (when (= "/" (subs file 0 1)) file))))
        meaning (fn [type name {:keys [arglists doc file line]} & facts]
                  (str "(:TYPE " (quoted type) " :NAME " (quoted name)
                       (when (seq arglists)
                         (str " :ARGLIST " (quoted (apply str (interpose "\n" (map pr-str arglists))))))
                       (when (string? doc) (str " :DOCUMENTATION " (quoted (cut doc limit))))
                       (when-let [path (path-of file)]
                         (str " :FILE " (quoted path) (when (integer? line) (str " :LINE " line))))
                       " :FACTS (" (apply str (remove nil? facts)) "))"))
        class-name (fn [value] #?(:clj (when (some? value) (.getName (class value))) :default nil))
        of-var (fn [name found]
                 (let [about (meta found)
                       bound (attempt (fn [] (bound? found)))
                       value (when bound @found)]
                   (cond (:macro about) (meaning "macro" name about)
                         (= "clojure.lang.MultiFn" (class-name value))
                         (meaning "multimethod" name about (fact "methods for" (shown (keys (methods value)))))
                         ;; A sorted map compares what is asked for with its own keys.
                         (attempt (fn [] (and (map? value) (:sigs value) (:on value))))
                         (meaning "protocol" name about (fact "functions" (names (keys (:sigs value)))))
                         (:protocol about)
                         (meaning "protocol function" name
                                  (merge (select-keys (meta (:protocol about)) [:file :line]) about)
                                  (fact "protocol" (str (:name (meta (:protocol about))))))
                         (or (fn? value) (seq (:arglists about))) (meaning "function" name about)
                         :else (meaning (if (:dynamic about) "dynamic var" "var") name about
                                        (fact "value" (if bound (shown value) "unbound"))))))
        ;; A record has no place of its own, but its constructor has.
        place-of-maker (fn [space name]
                         (let [maker (attempt (fn [] (ns-resolve space (symbol (str "->" name)))))]
                           (if (var? maker) (select-keys (meta maker) [:file :line]) {})))
        of-class (fn [space name found]
                   #?(:clj (let [^Class found found
                                 fields (attempt (fn [] (.invoke (.getMethod found "getBasis" (make-array Class 0))
                                                                 nil (object-array 0))))]
                             (meaning (cond (.isInterface found) "interface"
                                            (some #{clojure.lang.IRecord} (.getInterfaces found)) "record"
                                            fields "type"
                                            :else "class")
                                      name (place-of-maker space name)
                                      (fact "fields" (when fields (pr-str fields)))
                                      (fact "superclass" (when (.getSuperclass found) (.getName (.getSuperclass found))))
                                      (fact "interfaces" (when (seq (.getInterfaces found))
                                                           (names (map (fn [^Class one] (.getName one))
                                                                       (take 20 (.getInterfaces found))))))))
                      :default (meaning "type" name (place-of-maker space name))))
        of-space (fn [found]
                   (meaning "namespace" (str (ns-name found)) (meta found)
                            (fact "public" (let [public (keys (ns-publics found))]
                                             (if (seq public) (names public) "nothing")))))
        special (fn [name]
                  (let [about #?(:clj (attempt (fn []
                                                 (require 'clojure.repl)
                                                 (@(resolve 'clojure.repl/special-doc) name)))
                                 :default nil)]
                    (meaning "special form" (str name) {:doc (:doc about)}
                             (fact "forms" (when (:forms about) (shown (:forms about)))))))
        described (fn [name home exported meanings]
                    (str "(:DESCRIBED T :NAME " (quoted name)
                         (when home (str " :HOME " (quoted home) " :EXPORTED " (if exported "T" "NIL")))
                         " :MEANINGS (" (apply str meanings) "))"))
        describe-class (fn [space found]
                         (let [name (str (name wanted))]
                           (described (str #?(:clj (.getName ^Class found) :default wanted)) nil nil
                                      [(of-class space name found)])))
        describe-var (fn [found]
                       (let [about (meta found)
                             ;; On Node not every var knows its namespace.
                             home (or (:ns about)
                                      (first (filter (fn [one] (identical? found (get (ns-interns one) (:name about))))
                                                     (all-ns))))
                             home (when home (ns-name home))]
                         (described (str (when home (str home "/")) (:name about)) home (not (:private about))
                                    [(of-var (str (:name about)) found)])))
        users (filter (fn [one]
                        (not (re-find #"^(clojure|cljs|nrepl|cider|refactor-nrepl|sci|babashka|bencode|nbb|lispwright\.image)(\.|$)"
                                      (str (ns-name one)))))
                      (all-ns))
        near? (fn [name wanted]
                (<= (abs (- (count (str name)) (count (str wanted)))) (max 1 (quot (count (str wanted)) 3))))
        here (find-ns space)
        seen (when here
               (attempt (fn []
                          (or (ns-resolve here wanted)
                              (when-let [there (and (namespace wanted) (find-ns (symbol (namespace wanted))))]
                                (ns-resolve there (symbol (name wanted))))))))
        as-space (attempt (fn [] (find-ns wanted)))]
    (cond (nil? here) "(:NO-SPACE T)"
          (var? seen) (describe-var seen)
          (special-symbol? wanted) (described (str wanted) nil nil [(special wanted)])
          #?(:clj (class? seen) :default (some? seen)) (describe-class (or (some-> (namespace wanted) symbol find-ns) here) seen)
          as-space (described (str wanted) nil nil [(of-space as-space)])
          :else
          (let [same (when-not (namespace wanted)
                       (keep (fn [one] (when-let [found (get (ns-interns one) wanted)] [one found])) users))
                 classes (when-not (namespace wanted)
                           (keep (fn [one]
                                   (let [found (attempt (fn [] (get (ns-imports one) wanted)))]
                                     (when found [one found])))
                                 users))
                whole (fn [one name] (str (ns-name one) "/" name))]
            (cond
              (= 1 (count same)) (describe-var (second (first same)))
              (and (empty? same) (= 1 (count (set (map second classes))))) (apply describe-class (first classes))
              :else
              (str "(:NO-NAME " (quoted text) " :IN " (quoted space)
                   " :ELSEWHERE (" (apply str (interpose " " (map (fn [[one]] (quoted (whole one wanted))) same))) ")"
                   " :NAMES ("
                   (let [bare (symbol (name wanted))]
                     (apply str
                            (interpose " "
                                       (concat (map quoted (filter (fn [one] (near? one bare)) (keys (ns-map here))))
                                               (for [one users
                                                     :when (not= one here)
                                                     interned (keys (ns-interns one))
                                                     :when (near? interned bare)]
                                                 (quoted (whole one interned)))))))
                   "))"))))))
