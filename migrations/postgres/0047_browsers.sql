-- Where the session was used last, and the browser that it was started in, as its cookie names it.
alter table sessions add column address text;
alter table sessions add column browser_id text;

-- Browsers in which a user has signed in. A sign-in elsewhere is notified. Limited for each user.
create table known_browsers (
  user_id      uuid not null references users (id) on delete cascade,
  browser_id   text not null,
  last_seen_at timestamptz not null,
  primary key (user_id, browser_id)
);
