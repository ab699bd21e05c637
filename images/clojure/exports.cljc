;; What a namespace has for others, as text in the notation of the wire. A function of the function that says what a name
;; means (describe.cljc), of the name of the namespace, and of how many names are skipped and listed. Runs where
;; that one does; nothing is defined.
(fn [describe space offset wanted]
  (if-let [found (find-ns space)]
    (let [names (sort (map str (keys (ns-publics found))))]
      (str "(:NAME \"" space "\" :TOTAL " (count names)
           " :DESCRIBED (" (apply str (map (fn [name] (describe space (str space "/" name) 200))
                                          (take wanted (drop offset names))))
           "))"))
    "(:NO-SPACE T)"))
