;; The exports of a namespace, as text in the notation of the wire. A function of the function that describes a name
;; (describe.cljc), of the name of the namespace, and of the numbers of names to skip and to list. Runs where that one
;; does; nothing is defined.
(fn [describe space offset wanted]
  (if-let [found (find-ns space)]
    (let [names (sort (map str (keys (ns-publics found))))]
      (str "(:NAME \"" space "\" :TOTAL " (count names)
           " :DESCRIBED (" (apply str (map (fn [name] (describe space (str space "/" name) 200))
                                          (take wanted (drop offset names))))
           "))"))
    "(:NO-SPACE T)"))
