;; What Clojure says of namespaces that are loaded, whose names are lines of the standard input: the last cause of each
;; failure.

(doseq [line (line-seq (java.io.BufferedReader. *in*))]
  (try
    (binding [*out* (java.io.StringWriter.) *err* (java.io.StringWriter.)]
      (require (symbol line)))
    (catch Throwable failure
      (println line (ex-message (last (take-while some? (iterate ex-cause failure))))))))
(shutdown-agents)
