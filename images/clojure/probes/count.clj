(let [found (fn [text]
              (let [v (resolve (symbol text))]
                (when-not (and (var? v) (fn? @v))
                  (throw (ex-info (str "There is no function of this name here: " text "; load its file or define it in a call before") {})))
                v))
      vars (mapv found [{{names}}])
      calls (atom {}) spent (atom {}) depth (atom {})
      counted (fn [v old]
                (fn [& arguments]
                  (let [began (System/nanoTime)]
                    (swap! calls update v (fnil inc 0))
                    (swap! depth update v (fnil inc 0))
                    (try (apply old arguments)
                         (finally
                           (when (zero? (get (swap! depth update v dec) v))
                             (swap! spent update v (fnil + 0) (- (System/nanoTime) began))))))))]
  (try
    (with-redefs-fn (into {} (map (fn [v] [v (counted v @v)]) vars))
      (fn [] (load-string {{code}})))
    (finally
      (doseq [v vars]
        (println (format "%d calls, %.3f ms: %s" (get @calls v 0) (/ (get @spent v 0) 1e6) (symbol v)))))))
