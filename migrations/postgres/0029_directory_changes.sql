-- Changes of the directory that transactions in a cell cause, where the directory is another database or
-- schema. They are written with their cause, applied to the directory, and deleted.
create table directory_changes (
  org_id  uuid not null,
  id      uuid not null default new_time_id(),
  kind    text not null check (kind in ('opinion', 'audit')),
  content jsonb not null,
  primary key (org_id, id)
);

-- In the directory: changes that were applied. One whose row could not be deleted in time is not applied again.
create table applied_directory_changes (
  org_id     uuid not null,
  id         uuid not null,
  applied_at timestamptz not null default now(),
  primary key (org_id, id)
);
create index applied_directory_changes_by_time on applied_directory_changes (applied_at);
