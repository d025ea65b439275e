;; Guest: exports no host_alloc; the door must answer -2.
;; include: write door list-frame
