;; clojure.main/repl, in which nREPL runs each evaluation, puts a class loader before the one that the thread has, and every
;; lookup of a class asks all of them. Has nREPL's function for an evaluation take its own away again at the end. A loader
;; that evaluated code has set stays. An nREPL without that function is left as it is.
(when-let [evaluate (resolve 'nrepl.middleware.interruptible-eval/evaluate)]
  (alter-var-root
   evaluate
   (fn [original]
     (fn [message]
       (let [thread (Thread/currentThread)
             before (.getContextClassLoader thread)]
         (try
           (original message)
           (finally
             (let [after (.getContextClassLoader thread)]
               (when (and (instance? clojure.lang.DynamicClassLoader after)
                          (identical? before (.getParent after)))
                 (.setContextClassLoader thread before))))))))))
