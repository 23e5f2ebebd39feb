"""Engines that answer over HTTP: runs of Solr, OpenSearch and Elasticsearch, with the time they took."""
