;; Compiles nREPL and the functions of a server into an archive of classes, whose path is the first argument. On the class
;; path of a server before the sources it spares their compilation at each start. The text of the functions comes after this
;; form on standard input.
(let [functions (with-out-str (clojure.java.io/copy *in* *out*))
      directory (java.nio.file.Files/createTempDirectory
                 "lispwright" (into-array java.nio.file.attribute.FileAttribute []))
      files (fn [] (file-seq (.toFile directory)))]
  (try
    (binding [*compile-path* (str directory) *compile-files* true]
      (require 'nrepl.server 'nrepl.transport 'clojure.test)
      ;; It names its parts, and loads them when it is made.
      ((resolve 'nrepl.server/default-handler))
      (create-ns 'lispwright.image)
      (clojure.lang.Compiler/compile (java.io.StringReader. functions) "lispwright/functions.cljc" "functions.cljc"))
    (with-open [archive (java.util.jar.JarOutputStream. (java.io.FileOutputStream. ^String (first *command-line-args*)))]
      (doseq [^java.io.File file (files)
              :when (.isFile file)]
        (.putNextEntry archive (java.util.jar.JarEntry. (str (.relativize directory (.toPath file)))))
        (java.nio.file.Files/copy (.toPath file) archive)
        (.closeEntry archive)))
    (finally
      (doseq [^java.io.File file (reverse (files))]
        (.delete file)))))
