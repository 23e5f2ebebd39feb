"""The read-only part of Solr: select, mlt, terms, get, admin/ping and admin/luke."""
