;; How many arguments the functions and macros take that come with Clojure.
;;
;;     clojure xtask/standard/clojure.clj > crates/syntax/src/operators/clojure.txt
;;
;; A name outside of clojure.core has its namespace.

(def spaces
  '[clojure.core clojure.string clojure.set clojure.walk clojure.edn clojure.zip clojure.data clojure.pprint
    clojure.java.io clojure.java.shell clojure.test clojure.repl clojure.stacktrace clojure.template clojure.instant
    clojure.main clojure.reflect clojure.xml clojure.inspector clojure.uuid clojure.math])

;; "Special Forms" of the reference: those that no var documents.
(def special
  '[[def 1 3] [if 2 3] [do 0 -] [quote 1 1] [var 1 1] [recur 0 -] [throw 1 1] [try 0 -] [catch 2 -] [finally 0 -]
    [set! 2 2] [new 1 -] [. 2 -] [monitor-enter 1 1] [monitor-exit 1 1] [let* 1 -] [fn* 0 -] [loop* 1 -]])

(defn limits
  "The fewest and most arguments of a function, of which a macro gets two more."
  [function hidden]
  (let [methods (.getDeclaredMethods (class function))
        counts (for [method methods :when (= "invoke" (.getName method))] (count (.getParameterTypes method)))
        open? (some #(= "getRequiredArity" (.getName %)) methods)
        counts (if open? (cons (.getRequiredArity function) counts) counts)]
    (if (empty? counts)
      [0 '-]
      [(max 0 (- (apply min counts) hidden)) (if open? '- (- (apply max counts) hidden))])))

(println (str "# The functions and macros that come with Clojure " (clojure-version)
              " by xtask/standard/clojure.clj: name, kind (f, m, s), fewest and most arguments."))
(doseq [row (sort (concat
                   (for [[name fewest most] special] (str name " s " fewest " " most))
                   (for [space spaces
                         :when (try (require space) true (catch Throwable _ false))
                         [name value] (ns-publics space)
                         :let [macro (:macro (meta value))
                               shown (if (= space 'clojure.core) (str name) (str space "/" name))]
                         :when (and (not (some #{name} (map first special)))
                                    (or macro (and (bound? value) (fn? @value))))]
                     (let [[fewest most] (limits @value (if macro 2 0))]
                       (str shown " " (if macro "m" "f") " " fewest " " most)))))]
  (println row))
