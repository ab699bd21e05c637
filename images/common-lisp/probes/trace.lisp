(cl:let ((#1=#:names (cl:mapcar #'cl:read-from-string (cl:list {{names}})))
         (#2=#:outcome cl:nil))
  (cl:dolist (#9=#:name #1#)
    (cl:unless (cl:fboundp #9#)
      (cl:error "There is no function of this name here: ~s; load its file or define it in a call before" #9#)))
  (cl:unwind-protect
       (cl:progn
         (cl:eval `(cl:trace ,@#1#))
         (cl:with-input-from-string (#3=#:in {{code}})
           (cl:loop :for #4=#:form = (cl:read #3# cl:nil #3#)
                    :until (cl:eq #4# #3#)
                    :do (cl:setf #2# (cl:multiple-value-list (cl:eval #4#)))))
         (cl:values-list #2#))
    (cl:eval `(cl:untrace ,@#1#))))
