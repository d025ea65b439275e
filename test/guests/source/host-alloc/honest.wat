;; Guest: the honest twin of the hostile ones; the door answers 0.
;; include: write door list-frame allocate
