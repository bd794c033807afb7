-- The databases, or schemas of a database, that hold organizations. 'main' is the database of the directory.
create table cells (
  name       text primary key check (name ~ '^[a-z][a-z0-9-]{0,31}$'),
  -- The sealed connection URL. Null for a schema of the directory's database, and if a setting has the URL.
  sealed_url text,
  schema     text,
  -- Whether new organizations may be placed in it.
  is_open    boolean not null,
  created_at timestamptz not null default now()
);

insert into cells (name, is_open) values ('main', true);

alter table organizations add column cell text not null default 'main';
