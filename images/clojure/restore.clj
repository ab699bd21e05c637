;; clojure.main/repl, in which nREPL runs each evaluation, puts a new class loader before that of the thread, and every
;; lookup of a class asks all of them. This makes nREPL's function for an evaluation remove its own loader at the end. A
;; loader that evaluated code has set stays. An nREPL without that function is left unchanged.
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
