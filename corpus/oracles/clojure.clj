;; Where Clojure's own reader sees the top-level data of Clojure files.
;;
;; The corpus test compares our tree with this. Reads file names from standard input, one a line, and prints
;;
;;   file NAME
;;   datum START END      byte offsets, END exclusive
;;   error OFFSET TEXT    what the reader threw; ends the file's data
;;
;; Reader conditionals and tagged literals are kept as data, so no feature, class or data reader is needed; every alias
;; resolves to itself; nothing is evaluated.

(ns corpus.oracle
  (:require [clojure.string :as str])
  (:import (clojure.lang LispReader$Resolver)
           (java.io BufferedReader File IOException PushbackReader Reader)
           (java.nio ByteBuffer)
           (java.nio.charset StandardCharsets)
           (java.nio.file Files)))

(set! *warn-on-reflection* true)

(def resolver
  "Takes every alias and class name for what it is."
  (reify LispReader$Resolver
    (currentNS [_] 'corpus.oracle)
    (resolveClass [_ _] nil)
    (resolveAlias [_ alias] alias)
    (resolveVar [_ _] nil)))

(defn file-text
  "The text of a UTF-8 file. Throws when the bytes are not UTF-8."
  ^String [^String name]
  (-> (.newDecoder StandardCharsets/UTF_8)
      (.decode (ByteBuffer/wrap (Files/readAllBytes (.toPath (File. name)))))
      str))

(defn byte-offsets
  "The byte offset of each UTF-16 unit of `text`, and of its end."
  ^longs [^String text]
  (let [n (.length text)
        offsets (long-array (inc n))]
    (dotimes [i n]
      (let [c (.charAt text i)
            width (cond (< (int c) 0x80) 1
                        (< (int c) 0x800) 2
                        (Character/isSurrogate c) 2
                        :else 3)]
        (aset offsets (inc i) (+ (aget offsets i) (long width)))))
    offsets))

(defn counting-reader
  "A reader of `text` and a function that says how many of its characters have been consumed.
  The source never claims to be ready, so the reader on top is ready exactly while it holds a pushed-back character."
  [^String text]
  (let [taken (long-array 1)
        source (proxy [Reader] []
                 (read []
                   (let [i (aget taken 0)]
                     (if (< i (.length text))
                       (do (aset taken 0 (inc i))
                           (int (.charAt text i)))
                       -1)))
                 (ready [] false)
                 (close []))
        in (PushbackReader. source 1)]
    [in (fn [] (if (.ready in) (dec (aget taken 0)) (aget taken 0)))]))

(defn read-datum
  [in]
  (read {:read-cond :preserve :eof ::eof} in))

(defn skip-line
  [^PushbackReader in]
  (let [c (.read in)]
    (when-not (or (neg? c) (= c (int \newline)) (= c (int \return)))
      (recur in))))

(defn skip-blanks
  "Moves `in` over whitespace, comments and discarded data. False at the end of the text."
  [^PushbackReader in position ^String text]
  (loop []
    (let [index (int (position))]
      (if (= index (.length text))
        false
        (let [c (.charAt text index)]
          (cond
            (or (Character/isWhitespace c) (= c \,)) (do (.read in) (recur))
            (= c \;) (do (skip-line in) (recur))
            (.startsWith text "#!" index) (do (skip-line in) (recur))
            (.startsWith text "#_" index) (do (.read in) (.read in) (read-datum in) (recur))
            :else true))))))

(defn complaint
  "What was thrown, on one line and in ASCII."
  [^Throwable thrown]
  (str/replace (str (.getMessage thrown)) #"[^ -~]+" "?"))

(defn report-data
  [text]
  (let [offsets (byte-offsets text)
        [in position] (counting-reader text)]
    (try
      (while (skip-blanks in position text)
        (let [start (position)]
          (read-datum in)
          (println "datum" (aget offsets start) (aget offsets (position)))))
      (catch Exception thrown
        (println "error" (aget offsets (position)) (complaint thrown))))))

(binding [*reader-resolver* resolver
          *read-eval* false
          *default-data-reader-fn* tagged-literal
          *flush-on-newline* false]
  (doseq [name (line-seq (BufferedReader. *in*))]
    (println "file" name)
    (try
      (report-data (file-text name))
      (catch IOException thrown
        (println "error 0" (complaint thrown)))))
  (flush))
