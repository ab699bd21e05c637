;; What files change in the image while they are loaded. Evaluated form by form in the namespace lispwright.image of a
;; server that was started here.
;;
;; Sources of the project, which are files and in no archive, are read and evaluated here, as Compiler/load does: one form
;; after another. So it is known which vars, methods, extensions of protocols, relations and specs each file has made. A
;; var that was forgotten is the same again when its file defines it, so that code by hand goes on with the new value.
(import '(clojure.lang Compiler Compiler$CompilerException LineNumberingPushbackReader LispReader$ReaderException
                       MultiFn Namespace PersistentArrayMap PersistentHashMap RT Var)
        '(java.io File StringReader)
        '(java.nio.file Files)
        '(java.security MessageDigest))

;; :files    the loaded files: path -> record, see `record`
;; :order    their paths, the last loaded one last
;; :uses     path -> paths of files that were loaded, and [:lib name] of libraries that were required, while it was loaded
;; :wanted   paths of files that were asked for, and not only by other files
(def ledger (atom {:files {} :order [] :uses {} :wanted #{}}))

;; The current request: :earlier, the forgotten vars that have not been defined again, by namespace and name;
;; :anew, those of them that even `defonce` defines anew; the others are described in `renewal.clj`.
(def request (atom {}))

;; The innermost file that is being loaded, as an atom, with the one :outside.
(def ^:dynamic *watch* nil)

(def end (Object.))

;;; Files

(defn content [^String path]
  (try (Files/readAllBytes (.toPath (File. path)))
       (catch java.io.IOException _ nil)))

(defn digest [^bytes content]
  (when content
    (.toString (BigInteger. 1 (.digest (MessageDigest/getInstance "SHA-1") content)) 16)))

(defn path-of [^java.net.URL url]
  (when (and url (= "file" (.getProtocol url)))
    (.getPath (File. (.toURI url)))))

(defn source-of
  "The path of the source that is loaded for a path on the class path without its extension, if it is a file."
  [^String path]
  (let [find (fn [extension] (.getResource (RT/baseLoader) (str (subs path 1) extension)))]
    (path-of (or (find ".clj") (find ".cljc")))))

(defn library-path [library]
  (str "/" (-> (name library) (.replace \- \_) (.replace \. \/))))

(defn library-file [library]
  (source-of (library-path library)))

(defn path-on-class-path
  "The path by which `load` finds a file; nil if it does not."
  [^String path]
  (let [stem (second (re-matches #"(.*)\.cljc?" path))]
    (when stem
      (some (fn [from]
              (let [candidate (subs stem from)]
                (when (= path (try (source-of candidate) (catch Exception _ nil))) candidate)))
            (keep-indexed (fn [at character] (when (= \/ character) at)) stem)))))

;;; What can be added to from outside

(def scanned (atom {})) ; namespaces -> [mappings, vars with multimethods, vars with protocols]

(def own-spaces (atom #{})) ; namespaces with code of the project, which are looked at anew each time

(defn own-var? [^Namespace space value]
  (and (var? value) (identical? space (.ns ^Var value))))

(defn root [^Var var]
  (when (.hasRoot var) (.getRawRoot var)))

;; A map of another class runs code of its own when it is asked for a key: a sorted one compares its keys with it.
(defn protocol? [value]
  (and (or (instance? PersistentArrayMap value) (instance? PersistentHashMap value))
       (contains? value :on-interface)
       (contains? value :sigs)))

(defn holders
  "The vars of a namespace that hold multimethods, and those that hold protocols."
  [^Namespace space]
  (let [mappings (.getMappings space)
        [known & found] (get @scanned space)]
    (if (identical? mappings known)
      found
      (let [vars (filter (fn [value] (own-var? space value)) (vals mappings))
            found [(filterv (fn [var] (instance? MultiFn (root var))) vars)
                   (filterv (fn [var] (protocol? (root var))) vars)]]
        (when-not (contains? @own-spaces space)
          (swap! scanned assoc space (into [mappings] found)))
        found))))

(defn private-value [name]
  (some-> (find-ns (symbol (namespace name))) (.findInternedVar (symbol (clojure.core/name name))) deref))

(defn registry []
  (private-value 'clojure.spec.alpha/registry-ref))

(defn additions
  "The methods, extensions, relations and specs that there are."
  []
  (let [found (map holders (all-ns))]
    {:methods (into {} (for [vars (map first found), var vars] [var (.getMethodTable ^MultiFn (root var))]))
     :extensions (into {} (for [vars (map second found), var vars] [var (:impls (root var))]))
     :parents (:parents (private-value 'clojure.core/global-hierarchy))
     :specs (some-> (registry) deref)}))

(defn added
  "What is in the map `after` and not, or as another object, in `before`: lists of a key and what `entries` finds."
  [before after entries]
  (for [[key now] after
        :let [then (get before key)]
        :when (not (identical? now then))
        entry (entries then now)]
    (into [key] entry)))

(defn other-entries [then now]
  (remove (fn [[key value]] (identical? value (get then key))) now))

(defn changes-between [before after]
  {:methods (added (:methods before) (:methods after) other-entries)
   :extensions (added (:extensions before) (:extensions after) other-entries)
   :parents (added (:parents before) (:parents after) (fn [then now] (map vector (remove (or then #{}) now))))
   :specs (other-entries (:specs before) (:specs after))})

;;; Watching a file

(defn begin-watch [path source]
  (atom {:path path :source source :outside *watch* :additions (additions) :spaces {} :libraries #{} :changes {}}))

(defn note-changes
  "Records what has changed since the watch has begun or gone on."
  [watch]
  (let [now (additions)]
    (swap! watch (fn [{before :additions :as state}]
                   (-> state
                       (update :changes (fn [known] (merge-with concat known (changes-between before now))))
                       (assoc :additions now))))))

(defn go-on [watch]
  (swap! watch assoc :additions (additions)))

(defn note-space
  "Records that the file that is being watched has code in the current namespace."
  [watch]
  (let [^Namespace space *ns*]
    (swap! own-spaces conj space)
    (when-not (contains? (:spaces @watch) space)
      (swap! watch assoc-in [:spaces space] (.getMappings space)))))

(defn class-name-in [^Namespace space name]
  (str (munge (str (ns-name space))) "." name))

(defn content-of [value]
  (when (instance? clojure.lang.Atom value) @value))

(defn state-of [^Var var]
  {:root (.getRawRoot var) :content (content-of (root var)) :meta (meta var) :dynamic (.isDynamic var)})

(defn made-vars
  "The vars that the watched file has made, each with its value."
  [{:keys [source spaces]}]
  (into {}
        (for [[^Namespace space before] spaces
              [name value] (.getMappings space)
              :when (and (own-var? space value)
                         (let [file (:file (meta value))]
                           (or (= source file) (and (nil? file) (not (identical? value (get before name)))))))
              :let [value ^Var value]]
          [value (state-of value)])))

(defn made-classes
  "The names of the types and interfaces that the watched file has made."
  [{:keys [spaces]} vars]
  (into (set (for [[^Namespace space before] spaces
                   [name value] (.getMappings space)
                   :when (and (class? value) (not (identical? value (get before name)))
                              (= (.getName ^Class value) (class-name-in space name)))]
               (.getName ^Class value)))
        (for [[^Var var] vars :when (protocol? (root var))] (class-name-in (.ns var) (munge (str (.sym var)))))))

(defn record
  "What the watched file has made, after its whole text with this digest was evaluated."
  [{:keys [path source libraries changes] :as watched} digest]
  (let [vars (made-vars watched)]
    (merge changes {:path path :source source :digest digest :libraries libraries :vars vars
                    :classes (made-classes watched vars)})))

;;; Definitions of forgotten vars

(def defining #"(?:.*/)?(?:def(?!ault).*|declare)")

(def keeping #"(?:.*/)?defonce")

(defn defined-names
  "The names that a form seems to define, by its head."
  [[head & [name :as arguments]]]
  (let [head (str head)]
    (cond (not (re-matches defining head)) []
          (= "declare" head) arguments
          (re-matches #"(?:.*/)?defprotocol" head) (cons name (keep (fn [part] (when (seq? part) (first part))) arguments))
          (re-matches #"(?:.*/)?def(record|type)" head) (when (symbol? name) [(symbol (str "->" name)) (symbol (str "map->" name))])
          :else [name])))

(defn restore-vars
  "Gives a namespace the forgotten vars that a form is about to define; returns them."
  [form]
  (when (and (seq? form) (symbol? (first form)))
    (let [^Namespace space *ns*, earlier (get-in @request [:earlier (ns-name space)])]
      (when (seq earlier)
        (doall
         (for [name (defined-names form)
               :let [^Var var (when (symbol? name) (get earlier (symbol (clojure.core/name name))))]
               :when (and var (not (own-var? space (.getMapping space (.sym var)))))]
           (do (when (.getMapping space (.sym var)) (.unmap space (.sym var)))
               (.refer space (.sym var) var)
               (.resetMeta var {})
               (.setDynamic var false)
               (when-not (and (re-matches keeping (str (first form))) (not (contains? (:anew @request) var)))
                 (.unbindRoot var))
               var)))))))

(defn take-away-undefined
  "Takes those of the vars away from their namespace that were not defined."
  [vars]
  (doseq [^Var var vars]
    (if (contains? (meta var) :ns)
      (swap! request update-in [:earlier (ns-name (.ns var))] dissoc (.sym var))
      (.unmap ^Namespace (.ns var) (.sym var)))))

;;; Ends of the process
;;
;; A JVM that has begun to end cannot be kept. While the files of a request are loaded, a call of `System/exit` that is
;; written in them ends the load instead; in a test, it is an error.

(def ^:dynamic *in-tests* false)

(defn head? [form name]
  (and (seq? form) (symbol? (first form)) (= name (clojure.core/name (first form)))))

(defn kept? []
  (or *in-tests* (and *watch* (:renewing @request))))

(defn exit [status]
  (when-not (kept?)
    (System/exit (int status)))
  (let [leaving (Error. (str "the code ends its process with exit code " status))]
    (when-not *in-tests*
      (swap! request assoc :left-with status :leaving leaving))
    (throw leaving)))

(defn leaves? [thrown]
  (let [leaving (:leaving @request)]
    (some (fn [cause] (identical? leaving cause)) (take-while some? (iterate ex-cause thrown)))))

(defn with-exits
  "A form that calls `exit` where it would call `System/exit`."
  [form]
  (let [like (fn [made] (with-meta made (meta form)))]
    (cond (contains? '#{System/exit java.lang.System/exit} form) `exit
          (or (record? form) (head? form "quote")) form
          (seq? form) (like (apply list (map with-exits form)))
          (map? form) (like (into (empty form) (map (fn [[key value]] [(with-exits key) (with-exits value)])) form))
          (or (vector? form) (set? form)) (like (into (empty form) (map with-exits) form))
          :else form)))

(alter-var-root #'shutdown-agents (fn [original] (fn [] (when-not (kept?) (original)))))

;;; Loading

(defn failure [source form phase thrown]
  (if (instance? Compiler$CompilerException thrown)
    thrown
    (let [{:keys [line column]} (meta form)]
      (Compiler$CompilerException. source (or line 0) (or column 0) nil phase thrown))))

(defn read-form [options ^LineNumberingPushbackReader reader source]
  (try (read options reader)
       (catch LispReader$ReaderException thrown
         (let [{:clojure.error/keys [line column]} (ex-data thrown)]
           (throw (Compiler$CompilerException. source line column nil Compiler$CompilerException/PHASE_READ
                                               (.getCause thrown)))))))

(defn expansion
  "The expansion of a form, which is its own if its head defines something."
  [form]
  (if (head? form "defonce") form (macroexpand form)))

(defn evaluate
  "Evaluates a form as Compiler/eval does, part by part where it expands to several."
  [watch form source]
  (let [restored (do (note-space watch) (restore-vars form))
        {:keys [line column]} (meta form)]
    (with-bindings (cond-> {} line (assoc Compiler/LINE line) column (assoc Compiler/COLUMN column))
      (try
        (let [expanded (expansion form)]
          (if (head? expanded "do")
            (doseq [part (rest expanded)]
              (evaluate watch part source))
            (let [restored (when-not (identical? expanded form) (restore-vars expanded))]
              (try (Compiler/eval expanded false)
                   (finally (take-away-undefined restored))))))
        (catch Throwable thrown (throw (failure source form Compiler$CompilerException/PHASE_EXECUTION thrown)))
        (finally (take-away-undefined restored))))
    (note-space watch)
    (when (head? form "ns")
      (swap! watch update :libraries conj (ns-name *ns*)))))

(defn evaluate-all [watch text source name]
  (let [reader (LineNumberingPushbackReader. (StringReader. text))
        options (cond-> {:eof end} (.endsWith ^String name ".cljc") (assoc :read-cond :allow))
        current (fn [var] [var @var])
        prepare (if (.contains ^String text "System/exit") with-exits identity)]
    (with-bindings (into {Compiler/LOADER (RT/makeClassLoader)
                          Compiler/SOURCE_PATH source, Compiler/SOURCE name
                          Compiler/METHOD nil, Compiler/LOCAL_ENV nil, Compiler/LOOP_LOCALS nil, Compiler/NEXT_LOCAL_NUM 0
                          #'*read-eval* true}
                         (map current [#'*ns* #'*unchecked-math* #'*warn-on-reflection* #'*data-readers*]))
      (loop []
        (let [form (read-form options reader source)]
          (when-not (identical? form end)
            (evaluate watch (prepare form) source)
            (recur)))))))
