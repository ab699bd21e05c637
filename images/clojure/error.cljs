;; The description of a thrown object, as text in the notation of the wire. A function, to be called on `*e`.
;; Runs in ClojureScript interpreted on Node; nothing is defined.
(fn [thrown]
  (let [quoted (fn [text]
                 (let [text (str text)
                       text (if (> (count text) 4000) (str (subs text 0 4000) " ...") text)]
                   (str "\"" (.replaceAll (.replaceAll text "\\" "\\\\") "\"" "\\\"") "\"")))
        number (fn [n] (if (and (number? n) (pos? n)) (str n) "NIL"))
        located (ex-data thrown)
        root (if (= :sci/error (:type located)) (or (ex-cause thrown) thrown) thrown)
        data (when (not= :sci/error (:type (ex-data root)))
               (not-empty (dissoc (or (ex-data root) {}) :sci.impl/callstack)))
        type-name (cond (ex-data root) "ExceptionInfo"
                        (instance? js/Error root) (.-name root)
                        :else (str (type root)))
        frames (try (->> @(:sci.impl/callstack located)
                         (filter (fn [frame] (and (:line frame) (:name (:f-meta frame)))))
                         (map (fn [frame] [(str (:ns (:f-meta frame)) "/" (:name (:f-meta frame)))
                                           (or (:file frame) "code") (:line frame)]))
                         (dedupe)
                         (take 20))
                    (catch :default _ nil))]
    (str "(:TYPE " (quoted type-name)
         " :MESSAGE " (quoted (str (if (instance? js/Error root) (ex-message root) root)
                                   (when data (str "\nex-data: " (binding [*print-length* 20] (pr-str data))))))
         " :PHASE :" (or (:phase located) "execution")
         " :LINE " (number (:line located))
         " :COLUMN " (number (:column located))
         " :FRAMES (" (apply str (map (fn [[call file line]]
                                        (str "(:CALL " (quoted call) " :FILE " (quoted file) " :LINE " (number line) ")"))
                                      frames))
         "))")))
