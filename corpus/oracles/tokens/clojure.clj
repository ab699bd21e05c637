;; Which lines of standard input Clojure's own reader takes: prints `+ LINE` or `- LINE` for each.

(import '(java.io PushbackReader StringReader))

(binding [*read-eval* false]
  (doseq [line (line-seq (java.io.BufferedReader. *in*))]
    (let [taken (try
                  (let [reader (PushbackReader. (StringReader. line))]
                    (loop []
                      (when-not (identical? ::end (read {:read-cond :preserve :eof ::end} reader))
                        (recur))))
                  true
                  (catch Throwable _ false))]
      (println (if taken "+" "-") line))))
