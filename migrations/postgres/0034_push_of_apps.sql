-- What an app proves its subscription with. Null for subscriptions that were registered in the console or
-- imported: the first app that registers their token gets a secret.
alter table push_subscriptions
  add column secret_hash bytea,
  add column secret_salt bytea,
  add column time_zone   text;

-- New subscriptions of an application through each public key by day in UTC, and those that were refused
-- because there were too many. It limits them, and shows where they came from.
create table push_registration_counts (
  org_id         uuid not null,
  application_id uuid not null,
  day            date not null,
  key_id         uuid not null,
  created        bigint not null default 0,
  refused        bigint not null default 0,
  primary key (org_id, application_id, day, key_id)
) with (fillfactor = 50);
-- Retention deletes old days of all organizations.
create index push_registration_counts_by_day on push_registration_counts (day);
