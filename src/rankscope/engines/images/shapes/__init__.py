"""Binary silhouettes: the object in a picture, its outline, and what can be measured on both."""
