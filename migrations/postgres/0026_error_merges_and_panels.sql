-- Which groups of errors members merged into which. Stored logs do not change: readings add up the fingerprints of
-- a group, so a row applies to errors of the past and of the future, and deleting it splits the group again.
-- No group is merged into one that is merged itself.
create table edge_error_merges (
  org_id           uuid not null,
  mode             text not null check (mode in ('live', 'test')),
  fingerprint      text not null,
  into_fingerprint text not null check (into_fingerprint <> fingerprint),
  merged_by        uuid not null,
  merged_at        timestamptz not null,
  primary key (org_id, mode, fingerprint)
);

-- Where a group is worked on: a review, an incident, a ticket.
alter table edge_error_states add column link text;

-- Tables and charts of logs on the dashboard of an organization.
create table edge_panels (
  org_id     uuid not null,
  id         uuid not null,
  name       text not null,
  -- The view of the log explorer that the panel shows, by the names in its address.
  view       jsonb not null,
  position   integer not null,
  created_by uuid not null,
  created_at timestamptz not null,
  primary key (org_id, id)
);
