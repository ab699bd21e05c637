;; clojure.main/repl, in which nREPL runs each evaluation, puts a new class loader before that of the thread. After some
;; two thousand of them the stack overflows when a class is looked up. Given the name of a thread, this function removes
;; those loaders from it and from the current thread. The outermost loader stays: tools add libraries to it. Defined
;; classes are still found, because Clojure keeps them by name. Nothing is defined, so every name is qualified.
(clojure.core/fn [name]
  (clojure.core/let [dynamic? (clojure.core/fn [loader] (clojure.core/instance? clojure.lang.DynamicClassLoader loader))
                     outermost (clojure.core/fn [^ClassLoader loader]
                                 (clojure.core/let [parent (.getParent loader)]
                                   (if (dynamic? parent) (recur parent) loader)))]
    (clojure.core/doseq [^Thread thread (clojure.core/keys (Thread/getAllStackTraces))]
      (clojure.core/when (clojure.core/or (clojure.core/= name (.getName thread))
                                          (clojure.core/identical? thread (Thread/currentThread)))
        (clojure.core/let [loader (.getContextClassLoader thread)]
          (clojure.core/when (dynamic? loader)
            (.setContextClassLoader thread (outermost loader))))))))
