;; Which names Clojure files define and use, as tools.analyzer.jvm sees it.
;;
;; The benchmark of the index compares its answers with this. Reads file names from standard input, one a line, and
;; prints, with tabs between the words:
;;
;;   file NAME
;;   form LINE            the first line of a top-level form, from 1; what follows is in it
;;   definition NAMESPACE NAME
;;   use KIND NAMESPACE NAME
;;   unseen               the form could not be analysed; nothing is known of it
;;   failed TEXT          what loading the namespace threw, or the reader; ends the file
;;
;; A kind is call, value, assignment or macro; made for what a macro brings in, which has no place in the source; maybe
;; for names whose uses leave no var in the analysis: symbols in quoted data, protocols, constants, and the classes of
;; types and records. The classpath has the directories of the files.
;;
;; A namespace is loaded as Clojure loads it; then its forms are read again and analysed, but not evaluated. Files that
;; are no Clojure of the JVM, or do not begin with the form ns, are passed over.

(require '[clojure.java.io :as io]
         '[clojure.string :as string]
         '[clojure.tools.analyzer :as analyzer]
         '[clojure.tools.analyzer.ast :as ast]
         '[clojure.tools.analyzer.jvm :as jvm]
         '[clojure.tools.reader :as reader]
         '[clojure.tools.reader.reader-types :as types])

(defn put [& words]
  (println (string/join "\t" words)))

(defn one-line [text]
  (subs (string/replace (str text) #"[^\x20-\x7e]" " ") 0 (min 300 (count (str text)))))

(defn home [v]
  [(str (ns-name (.ns ^clojure.lang.Var v))) (str (.sym ^clojure.lang.Var v))])

(defn data-symbols [datum]
  (filter symbol? (tree-seq coll? seq datum)))

(defn written?
  "The form is in the source: the reader has noted its place."
  [form]
  (boolean (:line (meta form))))

(defn uses
  "What a node of the analyser uses itself, as [kind namespace name]."
  [node]
  (concat
    (keep (fn [form]
            (let [op (::analyzer/resolved-op (meta form))]
              ;; A function can be expanded like a macro, too.
              (when (var? op)
                (into [(cond (not (written? form)) "made" (:macro (meta op)) "macro" :else "call")] (home op)))))
          (:raw-forms node))
    (case (:op node)
      :invoke (when (= :var (:op (:fn node)))
                [(into [(if (written? (:form (:fn node))) "call" "made")] (home (:var (:fn node))))])
      :instance? [["maybe" "clojure.core" "instance?"]]
      :var [(into [(if (written? (:form node)) "value" "made")] (home (:var node)))]
      :the-var [(into [(if (written? (:form node)) "value" "made")] (home (:var node)))]
      :set! (when (= :var (:op (:target node))) [(into ["assignment"] (home (:var (:target node))))])
      (:quote :const) (for [s (data-symbols (:form node)) :when (namespace s)]
                        ["maybe" (namespace s) (name s)])
      nil)))

(defn mentions
  "Names in a form whose uses leave no var in the analysis."
  [form]
  (for [s (distinct (mapcat #(cons % (data-symbols (meta %))) (tree-seq coll? seq form)))
        :when (symbol? s)
        :let [s (if (string/ends-with? (name s) ".") (symbol (namespace s) (string/replace (name s) #"\.$" "")) s)
              found (try (ns-resolve *ns* s) (catch Throwable _ nil))
              known (cond
                      (class? found)
                      (let [[_ package class-name] (re-matches #"(.*)\.([^.]+)" (.getName ^Class found))]
                        (when package [(string/replace package "_" "-") class-name]))
                      (and (var? found) (or (:const (meta found))
                                            (and (bound? found) (map? @found) (:on-interface @found))))
                      (home found))]
        :when known]
    (into ["maybe"] known)))

(defn all-nodes
  "The nodes of a tree; the function of a call only as a call."
  [tree]
  (loop [agenda [tree] found []]
    (if-let [node (peek agenda)]
      (let [children (ast/children node)
            children (if (and (= :invoke (:op node)) (= :var (:op (:fn node))))
                       (remove #(identical? % (:fn node)) children)
                       children)
            children (if (= :set! (:op node)) (remove #(identical? % (:target node)) children) children)]
        (recur (into (pop agenda) children) (conj found node)))
      found)))

(defn definitions [nodes]
  (for [node nodes
        :when (and (= :def (:op node)) (not (:declared (meta (:name node)))) (not (:declared (meta (:var node)))))]
    (home (:var node))))

(defn protocol-methods
  "The methods of protocols that the definitions define."
  [defined]
  (for [[space name] defined
        :let [v (find-var (symbol space name))
              value (when (and v (bound? v)) @v)]
        :when (and (map? value) (:sigs value) (:var value))
        method (vals (:sigs value))]
    [space (str (:name method))]))

(defn analysed [form environment]
  (binding [*out* (io/writer "/dev/null")]
    (jvm/analyze form environment {:passes-opts (assoc jvm/default-passes-opts :validate/throw-on-arity-mismatch false)})))

(defn report-forms [file]
  (with-open [in (io/reader file)]
    (let [reader (types/indexing-push-back-reader (java.io.PushbackReader. in 2))]
      (loop []
        (let [form (try
                     (reader/read {:eof ::end :read-cond :allow :features #{:clj}} reader)
                     (catch Throwable problem
                       (put "failed" (one-line problem))
                       ::end))]
          (when-not (= ::end form)
            (let [line (or (:line (meta form)) (types/get-line-number reader))]
              (put "form" line)
              (when (seq? form)
                (try
                  (let [nodes (all-nodes (analysed form (jvm/empty-env)))
                        defined (vec (definitions nodes))]
                    (doseq [[space name] (distinct (concat defined (protocol-methods defined)))]
                      (put "definition" space name))
                    (doseq [[kind space name] (distinct (concat (mapcat uses nodes) (mentions form)))]
                      (put "use" kind space name)))
                  (catch Throwable problem
                    (put "unseen" (one-line problem))))))
            (recur)))))))

(defn first-form [file]
  (with-open [in (io/reader file)]
    (try
      (reader/read {:eof nil :read-cond :allow :features #{:clj}}
                   (types/indexing-push-back-reader (java.io.PushbackReader. in 2)))
      (catch Throwable _ nil))))

(defn report [file]
  (put "file" file)
  (when (re-find #"\.cljc?$" file)
    (let [form (first-form file)]
      (when (and (seq? form) (= 'ns (first form)) (symbol? (second form)))
        (try
          (binding [*out* (io/writer "/dev/null") *err* (io/writer "/dev/null")]
            (require (symbol (name (second form)))))
          (binding [*ns* (the-ns (symbol (name (second form))))
                    *file* file]
            (report-forms file))
          (catch Throwable problem
            (put "failed" (one-line problem))))))))

(defn -main []
  (doseq [file (line-seq (java.io.BufferedReader. *in*))]
    (report file)
    (flush)))

(-main)
(shutdown-agents)
(System/exit 0)
