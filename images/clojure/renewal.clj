;; Bringing the loaded part of the project to the state of its files. Evaluated after `journal.clj`.
;;
;; The server names the files that are stale: those that have changed, and those that use them. Before anything is loaded
;; they are forgotten: their namespaces are empty and count as not loaded, so that `require` loads them in the order of a
;; fresh process, and what they have added elsewhere is taken away. A var that has no definition after that is not in the
;; files any more. What was defined by hand stays. If a file does not load, what was there before comes back, and the file
;; stays stale.
;;
;; Further entries of `request`: :waiting, the paths of stale files that were not loaded yet; :forgotten, path -> what was
;; there before; :failed, paths of files whose load has failed; :loaded, :removed, :reset, :keeps, :left, :comprises, :exit,
;; what is told; :left-with and :leaving, the exit status of the file that has last ended its process, and what was thrown;
;; :stale, the files as they were given.

;;; Namespaces and classes

(defn loaded-libraries []
  (private-value 'clojure.core/*loaded-libs*))

(def default-mappings
  (try (.getMappings ^Namespace (create-ns 'lispwright.empty))
       (finally (remove-ns 'lispwright.empty))))

(def ^java.util.Map class-cache
  (let [field (.getDeclaredField clojure.lang.DynamicClassLoader "classCache")]
    (.setAccessible field true)
    (.get field nil)))

(defn empty-space
  "Takes everything out of a namespace but its own vars."
  [^Namespace space]
  (doseq [[name value] (.getMappings space)
          :when (not (or (own-var? space value) (identical? value (get default-mappings name))))]
    (.unmap space name))
  (doseq [[name] (.getAliases space)]
    (.removeAlias space name))
  (.resetMeta space nil))

(defn fill-space [^Namespace space {:keys [mappings aliases about]}]
  (doseq [[name value] mappings
          :when (not (identical? value (.getMapping space name)))]
    (.unmap space name)
    (if (var? value) (.refer space name value) (.importClass space name value)))
  (doseq [[name other] aliases]
    (.removeAlias space name)
    (.addAlias space name other))
  (.resetMeta space about))

(defn set-var [^Var var {:keys [root meta dynamic]}]
  (if (instance? clojure.lang.Var$Unbound root) (.unbindRoot var) (.bindRoot var root))
  (.setDynamic var dynamic)
  (.resetMeta var meta))

;;; What a file has added to what others have defined

(defn extend-with [^Var var type functions]
  (alter-var-root var assoc-in [:impls type] functions)
  (-reset-methods (root var)))

(defn undo [{:keys [methods extensions parents specs classes]}]
  (doseq [[var value function] methods
          :let [multi (root var)]
          :when (and (instance? MultiFn multi) (identical? function (get (.getMethodTable ^MultiFn multi) value)))]
    (.removeMethod ^MultiFn multi value))
  (doseq [[var type functions] extensions
          :let [protocol (root var)]
          :when (and (protocol? protocol) (identical? functions (get-in protocol [:impls type])))]
    (alter-var-root var update :impls dissoc type)
    (-reset-methods (root var)))
  (doseq [[tag parent] parents]
    (underive tag parent))
  (doseq [[name spec] specs
          :when (identical? spec (get (some-> (registry) deref) name))]
    (swap! (registry) dissoc name))
  (doseq [name classes]
    (.remove class-cache name)))

(defn redo [{:keys [methods extensions parents specs]} classes]
  (doseq [[var value function] methods
          :let [multi (root var)]
          :when (and (instance? MultiFn multi) (not (contains? (.getMethodTable ^MultiFn multi) value)))]
    (.addMethod ^MultiFn multi value function))
  (doseq [[var type functions] extensions
          :let [protocol (root var)]
          :when (and (protocol? protocol) (not (contains? (:impls protocol) type)))]
    (extend-with var type functions))
  (doseq [[tag parent] parents]
    (derive tag parent))
  (doseq [[name spec] specs]
    (swap! (registry) assoc name spec))
  (doseq [[name class] classes]
    (.put class-cache name class)))

;;; Forgetting

(defn given?
  "The var has the value that its file gave it."
  [^Var var {given :root content :content}]
  (and (identical? given (.getRawRoot var))
       (identical? content (content-of (root var)))))

(defn qualified [^Var var]
  (str (ns-name (.ns var)) "/" (.sym var)))

(defn renew-variables
  "Notes which of the named variables get their value anew."
  [names vars]
  (doseq [[space name] names
          :let [var (some-> (find-ns (symbol space)) (.findInternedVar (symbol name)))
                known (get vars var)]
          :when (and var known)]
    (if (given? var known)
      (swap! request (fn [known] (-> known (update :anew (fnil conj #{}) var) (update :reset (fnil conj []) var))))
      (swap! request update :keeps (fnil conj []) var))))

(defn unmap-var [^Var var]
  (let [^Namespace space (.ns var)]
    (when (identical? var (.getMapping space (.sym var)))
      (.unmap space (.sym var)))))

(defn forget
  "Empties the namespaces of a file, and takes away what it has added elsewhere."
  [path]
  (when-let [{:keys [vars libraries classes source] :as record} (get-in @ledger [:files path])]
    (let [spaces (keep find-ns libraries)
          of-space (fn [^Namespace space] {:mappings (.getMappings space) :aliases (.getAliases space) :about (meta space)})
          before {:record record
                  :spaces (into {} (map (juxt identity of-space) spaces))
                  :classes (into {} (for [name classes :let [class (.get class-cache name)] :when class] [name class]))}]
      (renew-variables (some (fn [[stale _ names]] (when (= stale path) names)) (:stale @request)) vars)
      (undo record)
      (let [present (into {} (for [[^Var var] vars
                                   ;; Another one was defined by hand.
                                   :when (contains? #{source nil} (:file (meta var)))]
                               [var (state-of var)]))]
        (doseq [[^Var var] present]
          (unmap-var var)
          (swap! request assoc-in [:earlier (ns-name (.ns var)) (.sym var)] var))
        (doseq [space spaces]
          (empty-space space)
          (dosync (alter (loaded-libraries) disj (ns-name space))))
        (swap! request assoc-in [:forgotten path] (assoc before :vars present))
        ;; Until it is loaded, it is told as changed.
        (swap! ledger assoc-in [:files path :digest] nil)))))

(defn bring-back
  "Gives the namespaces of a file, which was forgotten, what they had."
  [path]
  (let [{:keys [record spaces vars classes]} (get-in @request [:forgotten path])]
    (doseq [[space state] spaces]
      (fill-space space state)
      (dosync (alter (loaded-libraries) conj (ns-name space))))
    (doseq [[^Var var state] vars
            :let [^Namespace space (.ns var) present (.getMapping space (.sym var))]]
      (when-not (identical? var present)
        (.unmap space (.sym var))
        (.refer space (.sym var) var))
      (set-var var state))
    (redo record classes)
    (swap! request (fn [known] (-> known (update :forgotten dissoc path)
                                   (update :reset (fn [reset] (remove (set (keys vars)) reset)))
                                   (update :keeps (fn [keeps] (remove (set (keys vars)) keeps))))))))

;;; What has left

(defn kind-of [{root :root about :meta}]
  (cond (:macro about) "macro"
        (:test about) "test"
        (instance? MultiFn root) "multimethod"
        (protocol? root) "protocol"
        (fn? root) "function"
        :else "var"))

(defn tell-removed [kind name path]
  (swap! request update :removed (fnil conj []) [kind (str name) path]))

(defn remove-var [^Var var state path]
  (swap! request update-in [:earlier (ns-name (.ns var))] dissoc (.sym var))
  (doseq [^Namespace space (all-ns), [name value] (.getMappings space) :when (identical? value var)]
    (.unmap space name))
  ;; A definition inside of a function makes a var when it is compiled, and gives it a value when it is called.
  (when-not (.findInternedVar ^Namespace (.ns var) (.sym var))
    (tell-removed (kind-of state) (qualified var) path))
  (.unbindRoot var)
  (.resetMeta var {}))

(defn keep-additions
  "Adds to what a file has made anew what was added to it by hand."
  [vars]
  (doseq [[^Var var {before :root}] vars
          :let [now (root var)]
          :when (not (identical? before now))]
    (cond (and (instance? MultiFn before) (instance? MultiFn now))
          (doseq [[value function] (.getMethodTable ^MultiFn before)]
            (when-not (contains? (.getMethodTable ^MultiFn now) value)
              (.addMethod ^MultiFn now value function)))
          (and (protocol? before) (protocol? now))
          (doseq [[type functions] (:impls before)]
            (when-not (contains? (:impls now) type)
              (extend-with var type functions))))))

(defn remove-rest
  "Removes what the file at a path had defined and defines no more; `now` is its present record, if it has one."
  [path now]
  (let [{{:keys [methods]} :record vars :vars} (get-in @request [:forgotten path])
        ;; A type that is defined again is another class of the same name.
        method (fn [[var value]] [var (if (class? value) (.getName ^Class value) value)])
        present (set (map method (:methods now)))]
    (doseq [[^Var var state] vars
            :when (get-in @request [:earlier (ns-name (.ns var)) (.sym var)])]
      (remove-var var state path))
    (keep-additions vars)
    (doseq [[var value :as one] methods
            :when (not (contains? present (method one)))]
      (tell-removed "method" (str (qualified var) " " (pr-str value)) path))
    (swap! request update :forgotten dissoc path)))

(defn forget-for-good [path]
  (let [spaces (keys (get-in @request [:forgotten path :spaces]))]
    (remove-rest path nil)
    (doseq [^Namespace space spaces]
      (doseq [^Namespace other (all-ns), [name one] (.getAliases other) :when (identical? one space)]
        (.removeAlias other name))
      (remove-ns (ns-name space))))
  (swap! ledger (fn [known] (-> known (update :files dissoc path) (update :uses dissoc path)
                                (update :order (fn [order] (vec (remove #{path} order))))
                                (update :wanted disj path)))))

;;; Loading

(defn note-use
  "Records that a file, or [:library name], is loaded for the file that is being loaded, or asked for."
  [used]
  (let [path (if (vector? used) (library-file (second used)) used)]
    (cond *watch* (swap! ledger update-in [:uses (:path @*watch*)] (fnil conj #{}) used)
          (and path (not (:renewing @request))) (swap! ledger update :wanted conj path))))

(defn drop-watch
  "Undoes what the watched file has done, whose load has failed."
  [watch]
  (note-changes watch)
  (let [{:keys [path spaces existing] :as watched} @watch
        {:keys [vars] :as record} (record watched nil)]
    (undo record)
    (doseq [[^Var var] vars
            :when (not (identical? var (get (get spaces (.ns var)) (.sym var))))]
      (unmap-var var))
    (doseq [^Namespace space (keys spaces)
            :when (not (contains? existing space))]
      (dosync (alter (loaded-libraries) disj (ns-name space)))
      (remove-ns (ns-name space)))
    (swap! request update :failed (fnil conj #{}) path)))

(defn finish
  "Records that the watched file was loaded whole."
  [watch digest]
  (note-changes watch)
  (let [{:keys [path] :as record} (record @watch digest)
        last (fn [paths] (conj (vec (remove #{path} paths)) path))
        ;; Where it was loaded over itself, by hand, what it had added is still there.
        earlier (when-not (get-in @request [:forgotten path]) (get-in @ledger [:files path]))
        record (reduce (fn [record kind] (update record kind into (kind earlier)))
                       (reduce (fn [record kind] (update record kind vec)) record [:methods :extensions :parents :specs])
                       [:methods :extensions :parents :specs :classes])]
    (remove-rest path record)
    (swap! ledger (fn [known] (-> known (assoc-in [:files path] record) (update :order last))))
    (swap! request (fn [known] (-> known (update :loaded last) (update :waiting (fnil disj #{}) path)
                                   (update :failed (fnil disj #{}) path))))))

(defn evaluated
  "Evaluates the code of a file; returns what was thrown if it ended its process."
  [watch text source name]
  (try (evaluate-all watch text source name)
       (catch Throwable thrown
         (when-not (leaves? thrown) (throw thrown))
         thrown)))

(defn load-source
  "Reads and evaluates the file at a path, whose code has the name `source`."
  [^String path source]
  (let [^bytes content (or (content path) (throw (java.io.FileNotFoundException. (str path " cannot be read"))))
        outside *watch*]
    (note-use path)
    (when outside (note-changes outside))
    (swap! ledger update :uses dissoc path)
    (let [watch (begin-watch path source)]
      (swap! watch assoc :existing (set (all-ns)))
      (when-let [left (try
                        (let [left (binding [*watch* watch]
                                     (evaluated watch (String. content "UTF-8") source (.getName (File. path))))]
                          (finish watch (digest content))
                          left)
                        (catch Throwable thrown
                          (drop-watch watch)
                          (throw thrown))
                        (finally
                          (when outside (go-on outside))))]
        (when outside
          (throw left))))))

;; The path of a file whose code has its whole path as its name, and not the one on the class path.
(def ^:dynamic *by-path* nil)

(def pending-paths (.findInternedVar (find-ns 'clojure.core) '*pending-paths*))

(defn loaded-apart
  "The path of a loaded file that `load` means by a path on the class path, and that is not there."
  [path]
  (some (fn [[file {:keys [libraries]}]]
          (when (some (fn [library] (= path (library-path library))) libraries) file))
        (:files @ledger)))

(defn load-paths
  "What `clojure.core/load` does, with sources of the project loaded here."
  [original paths]
  (doseq [^String path paths]
    (let [directory (fn [] (let [home (library-path (ns-name *ns*))] (subs home 0 (.lastIndexOf ^String home "/"))))
          path (if (.startsWith path "/") path (str (directory) "/" path))
          ^String file (when-not *compile-files* (or (source-of path) (loaded-apart path)))]
      (if file
        (do
          ((private-value 'clojure.core/check-cyclic-dependency) path)
          (when-not (= path (first @pending-paths))
            (with-bindings {pending-paths (conj @pending-paths path)}
              (load-source file (if (or (= file *by-path*) (not (source-of path)))
                                  file
                                  (str (subs path 1) (subs file (.lastIndexOf file "."))))))))
        (do
          (when *watch* (note-changes *watch*))
          (try (original path)
               (finally (when *watch* (go-on *watch*)))))))))

(defn libraries-in
  "The names of libraries in the arguments of `require`."
  [arguments]
  (mapcat (fn [argument]
            (cond (symbol? argument) [argument]
                  (not (sequential? argument)) []
                  (or (nil? (second argument)) (keyword? (second argument))) [(first argument)]
                  :else (for [part (rest argument)]
                          (symbol (str (first argument) "." (if (sequential? part) (first part) part))))))
          arguments))

(defn note-requirements [arguments]
  (doseq [library (libraries-in arguments)]
    (note-use [:library library])))

(alter-var-root #'load (fn [original] (fn [& paths] (load-paths original paths))))
(alter-var-root #'require (fn [original] (fn [& arguments] (note-requirements arguments) (apply original arguments))))
(alter-var-root #'use (fn [original] (fn [& arguments] (note-requirements arguments) (apply original arguments))))
(alter-var-root #'load-file (fn [_] (fn [name] (let [path (.getAbsolutePath (File. ^String name))] (load-source path path)))))

;;; Who uses what

(defn used-by
  "The paths of the loaded files that the file at a path uses."
  [path homes]
  (distinct (for [used (get-in @ledger [:uses path])
                  :let [used (if (vector? used) (get homes (second used)) used)]
                  :when (and used (not= used path) (get-in @ledger [:files used]))]
              used)))

(defn homes
  "The paths of the files of libraries, by the names of those."
  []
  (into {} (for [[path {:keys [libraries]}] (:files @ledger), library libraries] [library path])))

(defn comprised [paths]
  (let [homes (homes)]
    (loop [agenda (seq paths) found []]
      (cond (empty? agenda) found
            (some #{(first agenda)} found) (recur (rest agenda) found)
            :else (recur (concat (used-by (first agenda) homes) (rest agenda)) (conj found (first agenda)))))))

;;; Settings

(defn settings []
  {:properties (into {} (System/getProperties)) :locale (java.util.Locale/getDefault) :zone (java.util.TimeZone/getDefault)})

;;; A request

(defn vars-of-files []
  (into {} (mapcat :vars) (vals (:files @ledger))))

(defn note-values
  "Records what the loaded files have given to vars, also through each other. What a var of `others`, with its value before,
had from somebody else is no value that a file gave: if it has that still, its record stays the one of `known`."
  [known others]
  (let [noted (fn [[^Var var state]]
                [var (if (and (contains? others var) (identical? (get others var) (.getRawRoot var)))
                       (merge state (select-keys (get known var) [:root :content]))
                       (assoc state :content (content-of (root var))))])
        renoted (fn [record] (update record :vars (fn [vars] (into {} (map noted) vars))))]
    (swap! ledger update :files (fn [files] (into {} (for [[path record] files] [path (renoted record)]))))))

(defn needed? [path]
  (some (fn [[stale needed]] (and (= stale path) needed)) (:stale @request)))

(defn load-again [path]
  (let [source (get-in @ledger [:files path :source])
        place (path-on-class-path path)]
    (if (and place (not= source path))
      (load place)
      (load-source path (or source path)))))

(defn load-if-possible [path]
  (try (load-again path)
       (catch Throwable thrown
         (let [swallowed (contains? (:failed @request) path)
               cause (last (take-while some? (iterate ex-cause thrown)))]
           (swap! request update :left (fnil conj []) [path (or (ex-message cause) (str (class cause)))])
           (swap! request update :waiting disj path)
           (when-not swallowed
             (bring-back path))))))

(defn load-target [{:keys [path library force]}]
  (if path
    (binding [*by-path* path]
      (if-let [place (path-on-class-path path)] (load place) (load-source path path)))
    (let [library (symbol library)]
      (if (and force (not (library-file library)))
        (require library :reload)
        (require library)))))

(defn loose
  "Those of the stale files that no namespace makes known and no file loads: what uses their names relies on them being
there."
  [paths target]
  (let [homes (homes)
        used (into #{} (mapcat (fn [path] (used-by path homes))) (:order @ledger))]
    (vec (for [path paths
               :when (and (needed? path) (not= path target) (not (contains? used path))
                          (empty? (get-in @ledger [:files path :libraries])))]
           path))))

(defn load-stale
  "Loads what is loose, then the target, and with it what it requires, and then the rest of the stale files."
  [paths loose asked]
  (swap! request assoc :waiting (set paths))
  (let [load-waiting (fn [path]
                       (when (contains? (:waiting @request) path)
                         (if (and (needed? path) (not (contains? (:failed @request) path)))
                           (load-again path)
                           (load-if-possible path))))]
    (run! load-waiting loose)
    (swap! request dissoc :left-with)
    (load-target asked)
    (when-let [status (:left-with @request)]
      (swap! request assoc :exit status))
    (run! load-waiting paths)))

(defn latest-first [paths]
  (filter (set paths) (rseq (:order @ledger))))

(defn unused []
  (let [used (set (comprised (:wanted @ledger)))]
    (remove used (:order @ledger))))

(defn leave [path]
  (let [removed (:removed @request)
        libraries (get-in @ledger [:files path :libraries])]
    (forget-for-good path)
    (swap! request assoc :removed removed)
    (doseq [library libraries]
      (tell-removed "namespace" library path))))

(defn untouched?
  "Nothing was defined by hand in the namespaces of files, which a fresh process would not have."
  []
  (let [files (vals (:files @ledger))
        made (into #{} (mapcat (comp keys :vars)) files)]
    (every? (fn [^Namespace space]
              (every? (fn [[_ value]] (or (not (own-var? space value)) (contains? made value))) (.getMappings space)))
            (keep find-ns (mapcat :libraries files)))))

(defn bring-to-files
  "Loads a target after what is stale was forgotten."
  [{:keys [stale gone path library force] :as asked}]
  (let [target (or path (library-file (symbol library)))
        paths (map first stale)
        known (vars-of-files)
        others (into {} (for [[^Var var state] known :when (not (given? var state))] [var (.getRawRoot var)]))]
    (reset! request {:stale stale :renewing true})
    (when target
      (swap! ledger update :wanted conj target))
    (try
      (let [loose (loose paths target)]
        (run! forget (latest-first (concat paths gone (when (or force path) [target]))))
        (run! forget-for-good gone)
        (load-stale paths loose asked))
      ;; What nobody uses any more would not be there in a fresh process either.
      (when-let [unused (and (seq (:loaded @request)) (seq (unused)))]
        (let [again (remove (set unused) (:loaded @request))]
          (run! forget (latest-first (concat again unused)))
          (load-stale again [] asked)
          (run! leave unused)))
      (swap! request assoc :comprises (comprised (when target [target])))
      (catch Throwable thrown
        (run! bring-back (filter (fn [path] (get-in @request [:forgotten path])) (:order @ledger)))
        (swap! request assoc :as-fresh (untouched?))
        (throw thrown))
      (finally
        (note-values known others)
        (swap! request (fn [known] (-> known (dissoc :renewing :earlier :anew) (assoc :settings (settings)))))))
    nil))

;;; Answers

(defn quoted [text]
  (str \" (-> (str text) (.replace "\\" "\\\\") (.replace "\"" "\\\"")) \"))

(defn listed [texts]
  (str "(" (apply str (interpose " " texts)) ")"))

(defn told
  "What the last request has done, in the notation of the wire."
  []
  (let [{:keys [loaded removed reset keeps left comprises as-fresh exit]} @request
        texts (fn [values] (listed (map quoted values)))]
    (str "(:LOADED " (texts loaded)
         " :REMOVED " (listed (map texts removed))
         " :RESET " (texts (map qualified (filter (fn [^Var var] (.hasRoot var)) reset)))
         " :KEEPS " (texts (map qualified (filter (fn [^Var var] (contains? (meta var) :ns)) keeps)))
         " :LEFT " (listed (map texts left))
         " :COMPRISES " (texts comprises)
         (when exit (str " :EXIT-STATUS " exit))
         (when as-fresh " :AS-FRESH T") ")")))

(def began (System/currentTimeMillis))

(def looked-at (atom #{})) ; namespaces that are no files of the project

(defn adopt
  "Enters into the ledger the file of a namespace that was loaded some other way."
  [^Namespace space]
  (if-let [path (library-file (ns-name space))]
    (let [source (str (subs (library-path (ns-name space)) 1) (subs path (.lastIndexOf ^String path ".")))
          is-old (< (.lastModified (File. ^String path)) began)
          vars (into {} (for [[_ value] (.getMappings space)
                              :when (and (own-var? space value) (= source (:file (meta value))))]
                          [value (state-of value)]))]
      (swap! own-spaces conj space)
      (swap! ledger (fn [known]
                      (-> known
                          (assoc-in [:files path] {:path path :source source :libraries #{(ns-name space)} :vars vars
                                                   :classes #{} :digest (when is-old (digest (content path)))})
                          (update :order conj path)
                          (update :wanted conj path)))))
    (swap! looked-at conj space)))

(defn loaded-files
  "The files of the project that are loaded, in the notation of the wire."
  [roots]
  (let [known (set (keys (homes)))]
    (doseq [^Namespace space (all-ns)
            :when (not (or (contains? known (ns-name space)) (contains? @looked-at space)))]
      (adopt space)))
  (let [homes (homes)
        state (fn [path] (let [present (digest (content path))]
                           (cond (nil? present) ":GONE"
                                 (= present (get-in @ledger [:files path :digest])) ":SAME"
                                 :else ":CHANGED")))]
    (str "(:FILES "
         (listed (for [^String path (:order @ledger)
                       :when (some (fn [^String root] (.startsWith path root)) roots)]
                   (listed [(quoted path) (state path) (listed (map quoted (used-by path homes)))])))
         ")")))

;;; Settings after tests

(defn restore-settings
  "Puts back what has changed since the last load; returns what it was, in the notation of the wire."
  []
  (let [{:keys [properties locale zone]} (:settings @request)
        now (settings)
        changed (filter (fn [name] (not= (get properties name) (get (:properties now) name)))
                        (distinct (concat (keys properties) (keys (:properties now)))))]
    (doseq [name changed]
      (if-let [value (get properties name)]
        (System/setProperty name value)
        (System/clearProperty name)))
    (when (not= locale (:locale now)) (java.util.Locale/setDefault locale))
    (when (not= zone (:zone now)) (java.util.TimeZone/setDefault zone))
    (str "(:RESTORED "
         (listed (concat (map (fn [name] (quoted (str "the system property " name))) changed)
                         (when (not= locale (:locale now)) [(quoted "the default locale")])
                         (when (not= zone (:zone now)) [(quoted "the default time zone")])))
         ")")))
