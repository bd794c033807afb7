-- Lines about profiles that were imported. A profile has no event id, so this is what makes a second import of
-- a file change nothing. `line_hash` is a keyed hash of the content of the line.
create table imported_profiles (
  org_id      uuid not null,
  line_hash   uuid not null,
  profile_id  uuid not null,
  imported_at timestamptz not null,
  primary key (org_id, line_hash)
);
-- Deletion of the data of a person.
create index imported_profiles_by_profile on imported_profiles (org_id, profile_id);
