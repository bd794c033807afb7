-- What configuration files have set, as it was when they were applied. Comparing it with the file and with what
-- exists shows which of the two has changed since then.
create table configuration_items (
  org_id     uuid not null,
  kind       text not null,
  name       text not null,
  -- Text, because the service only keeps it: members of a later version stay as they are.
  content    text not null,
  source     text,
  revision   text,
  applied_by text not null,
  applied_at timestamptz not null,
  primary key (org_id, kind, name)
);
