;;; What Clojure's compiler and tools.analyzer say of files, one after the other.
;;;
;;; The benchmark of the linter plants faults in real code and asks which of them the compiler tells.  Reads lines from
;;; standard input, with tabs between the words:
;;;
;;;   CASE FILE
;;;
;;; and prints for each
;;;
;;;   case CASE
;;;   told TEXT            an error, on one line
;;;   failed               the file could not be judged
;;;
;;; Each form is analyzed, with the arguments of calls counted against `:arglists`, and evaluated; a form that has an error
;;; does not stop the next one.  The namespace of a file is removed before, so that no file sees what another defined.

(require '[clojure.string :as str]
         '[clojure.tools.analyzer.jvm :as analyzer]
         '[clojure.tools.reader.reader-types :as types]
         '[clojure.tools.reader :as reader])

(def milliseconds 60000)

(defn one-line [text]
  (str/replace (str text) #"[^ -~]" " "))

(defn message [^Throwable error]
  (let [causes (take-while some? (iterate #(.getCause ^Throwable %) error))]
    (str/join " / " (distinct (keep #(.getMessage ^Throwable %) causes)))))

(def options
  {:passes-opts (assoc analyzer/default-passes-opts :validate/throw-on-arity-mismatch true)})

(defn tell-of [form told]
  (try
    (analyzer/analyze+eval form (analyzer/empty-env) options)
    (catch Throwable error
      (swap! told conj (message error))
      ;; What the analyzer refuses may be defined all the same.
      (try (eval form) (catch Throwable _)))))

(defn judge [file told]
  (binding [*ns* (create-ns 'user)
            *file* file
            *warn-on-reflection* false
            *unchecked-math* false
            *out* (java.io.StringWriter.)
            *err* (java.io.StringWriter.)
            reader/*alias-map* nil]
    (let [source (types/indexing-push-back-reader (slurp file))]
      (loop []
        (let [form (try
                     (reader/read {:eof ::end :read-cond :allow} source)
                     (catch Throwable error
                       (swap! told conj (message error))
                       ::end))]
          (when (not= form ::end)
            (when (and (seq? form) (= (first form) 'ns) (symbol? (second form)))
              (remove-ns (with-meta (second form) nil)))
            (tell-of form told)
            (recur)))))))

(doseq [line (line-seq (java.io.BufferedReader. *in*))
        :let [[case file] (str/split line #"\t")]]
  (println (str "case\t" case))
  (let [told (atom [])
        ready (promise)
        thread (Thread. nil #(do (judge file told) (deliver ready true)) "judge" (* 64 1024 1024))]
    (.start thread)
    (if (deref ready milliseconds false)
      (doseq [one @told] (println (str "told\t" (one-line one))))
      (do (.stop thread) (println "failed"))))
  (flush))
(shutdown-agents)
(System/exit 0)
