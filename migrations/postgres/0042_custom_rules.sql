-- Rules that an organization writes itself are part of the versions of its rules, and of the drafts that are replayed.
-- A constant default is stored in the catalog, so no row is written. A node of an earlier version leaves the columns
-- out: a version that it applies has no custom rules.
alter table order_rules add column custom_rules json not null default '[]';
alter table rules_replays add column custom_rules json not null default '[]';
