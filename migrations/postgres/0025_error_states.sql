-- What members decided about groups of errors. A group without a row is new. There is no index but the key:
-- states are read by the fingerprints of a page.
create table edge_error_states (
  org_id        uuid not null,
  mode          text not null check (mode in ('live', 'test')),
  fingerprint   text not null,
  state         text not null check (state in ('new', 'acknowledged', 'resolved', 'ignored')),
  -- Null for a group that is ignored without an end, or not ignored.
  ignored_until timestamptz,
  assignee_id   uuid,
  changed_by    uuid not null,
  changed_at    timestamptz not null,
  primary key (org_id, mode, fingerprint)
);
