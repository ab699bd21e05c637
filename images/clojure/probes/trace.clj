(let [found (fn [text]
              (let [v (resolve (symbol text))]
                (when-not (and (var? v) (fn? @v))
                  (throw (ex-info (str "There is no function of this name here: " text "; load its file or define it in a call before") {})))
                v))
      depth (atom 0)
      say (fn [arrow what] (println (str (apply str (repeat (* 2 @depth) " ")) arrow " " (pr-str what))))
      traced (fn [v old]
               (fn [& arguments]
                 (say "->" (cons (symbol v) arguments))
                 (let [result (do (swap! depth inc) (try (apply old arguments) (finally (swap! depth dec))))]
                   (say "<-" (list (symbol v) result))
                   result)))]
  (with-redefs-fn (into {} (map (fn [v] [v (traced v @v)]) (map found [{{names}}])))
    (fn [] (load-string {{code}}))))
