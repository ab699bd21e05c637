(let [me (Thread/currentThread) going (atom true) samples (atom [])
      sampler (doto (Thread. (fn []
                               (while @going
                                 (Thread/sleep 5)
                                 (let [stack (.getStackTrace me)]
                                   (swap! samples conj
                                          (into [] (comp (map (fn [^StackTraceElement frame]
                                                                (clojure.lang.Compiler/demunge (.getClassName frame))))
                                                         (take-while #(not= % "clojure.core/load-string")))
                                                stack))))))
                (.setDaemon true) (.start))]
  (try
    (load-string {{code}})
    (finally
      (reset! going false)
      (.join sampler)
      (let [all @samples n (max 1 (count all))
            self (frequencies (keep first all)) total (frequencies (mapcat distinct all))]
        (println (count all) "samples, 5 ms apart")
        (println " self%  total%  function")
        (doseq [[name times] (take 25 (sort-by (fn [[name times]] [(- (get self name 0)) (- times)]) total))]
          (println (format "%6.1f  %6.1f  %s" (/ (* 100.0 (get self name 0)) n) (/ (* 100.0 times) n) name)))))))
