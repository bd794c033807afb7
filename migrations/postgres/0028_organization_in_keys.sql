-- online: each statement runs by itself, and can run again
-- Every key of a table of an organization begins with the organization, so that its rows can be read,
-- copied and moved together. Tables stay available: indexes are built beside the old ones, and each key is
-- exchanged in an instant. What runs again after an interruption finds what is done already. A unique key
-- that nodes of the previous version name in "on conflict" stays; so do look-ups by id, without a unique key.

-- An index that was being built when the migration was interrupted is of no use.
do $$
declare
  broken text;
begin
  for broken in
    select c.oid::regclass::text from pg_index i join pg_class c on c.oid = i.indexrelid
    where not i.indisvalid and c.relnamespace = current_schema()::regnamespace
  loop
    execute 'drop index ' || broken;
  end loop;
end
$$

alter table push_recipients add column if not exists org_id uuid

alter table push_batches add column if not exists org_id uuid

alter table push_identity_uses add column if not exists org_id uuid

-- Without an organization: of the previous version, or about an enterprise that no organization has.
alter table mdm_notifications
  add column if not exists org_id uuid not null default '00000000-0000-0000-0000-000000000000'

-- Nodes of the previous version insert rows without the organization. The next version drops this.
create or replace function set_push_organization() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'push_identity_uses' then
    select org_id into new.org_id from push_subscriptions where id = new.subscription_id limit 1;
  else
    select org_id into new.org_id from push_messages where id = new.message_id;
  end if;
  return new;
end
$$

create or replace trigger push_recipients_of_previous_version before insert on push_recipients
  for each row when (new.org_id is null) execute function set_push_organization()

create or replace trigger push_batches_of_previous_version before insert on push_batches
  for each row when (new.org_id is null) execute function set_push_organization()

create or replace trigger push_identity_uses_of_previous_version before insert on push_identity_uses
  for each row when (new.org_id is null) execute function set_push_organization()

-- In portions with a commit each, in the order of the key.
do $$
declare
  message        record;
  after_provider text;
  after_id       uuid;
  last_provider  text;
  last_id        uuid;
begin
  for message in select id, org_id from push_messages order by id loop
    after_provider := '';
    after_id := '00000000-0000-0000-0000-000000000000';
    loop
      select provider, subscription_id into last_provider, last_id from push_recipients
        where message_id = message.id and (provider, subscription_id) > (after_provider, after_id)
        order by provider, subscription_id offset 4999 limit 1;
      update push_recipients set org_id = message.org_id
        where message_id = message.id and (provider, subscription_id) > (after_provider, after_id)
          and (last_provider is null or (provider, subscription_id) <= (last_provider, last_id))
          and org_id is null;
      commit;
      exit when last_provider is null;
      after_provider := last_provider;
      after_id := last_id;
    end loop;
  end loop;
end
$$

update push_batches b set org_id = m.org_id from push_messages m
where m.id = b.message_id and b.org_id is null

update push_identity_uses u set org_id = s.org_id from push_subscriptions s
where s.id = u.subscription_id and u.org_id is null

-- What belongs to a message or a subscription that was deleted in the meantime.
delete from push_recipients where org_id is null

delete from push_batches where org_id is null

delete from push_identity_uses where org_id is null

-- A validated constraint spares "set not null" the scan under its lock.
alter table push_recipients drop constraint if exists push_recipients_org_id_known,
  add constraint push_recipients_org_id_known check (org_id is not null) not valid

alter table push_recipients validate constraint push_recipients_org_id_known

alter table push_recipients alter column org_id set not null

alter table push_recipients drop constraint push_recipients_org_id_known

alter table push_batches drop constraint if exists push_batches_org_id_known,
  add constraint push_batches_org_id_known check (org_id is not null) not valid

alter table push_batches validate constraint push_batches_org_id_known

alter table push_batches alter column org_id set not null

alter table push_batches drop constraint push_batches_org_id_known

alter table push_identity_uses drop constraint if exists push_identity_uses_org_id_known,
  add constraint push_identity_uses_org_id_known check (org_id is not null) not valid

alter table push_identity_uses validate constraint push_identity_uses_org_id_known

alter table push_identity_uses alter column org_id set not null

alter table push_identity_uses drop constraint push_identity_uses_org_id_known

-- Rows are looked up by their id alone where the organization is not known yet: by a dispatcher that hops over
-- a queue, or by a sweep. These tables are small, or written once per message.
create index concurrently if not exists webhook_endpoints_by_id on webhook_endpoints (id)

create index concurrently if not exists applications_by_id on applications (id)

create index concurrently if not exists push_messages_by_id on push_messages (id)

create index concurrently if not exists push_batches_by_message
  on push_batches (message_id, provider, first_id)

create index concurrently if not exists mdm_enterprises_by_name on mdm_enterprises (name)

-- Rows arrive in the order of time, so a block range index finds old ones at next to no cost.
create index concurrently if not exists events_by_age on events using brin (id)

create unique index concurrently if not exists push_subscriptions_by_token
  on push_subscriptions (org_id, application_id, provider, token_hash) where token_hash is not null

create unique index concurrently if not exists push_configurations_by_id
  on push_configurations (org_id, id)

create unique index concurrently if not exists events_key on events (org_id, id)

do $$
begin
  if to_regclass('events_key') is not null then
    alter table events drop constraint if exists events_pkey, add constraint events_pkey primary key using index events_key;
  end if;
end
$$

create unique index concurrently if not exists webhook_endpoints_key on webhook_endpoints (org_id, id)

do $$
begin
  if to_regclass('webhook_endpoints_key') is not null then
    alter table webhook_endpoints drop constraint if exists webhook_endpoints_pkey, add constraint webhook_endpoints_pkey primary key using index webhook_endpoints_key;
  end if;
end
$$

create unique index concurrently if not exists webhook_deliveries_key on webhook_deliveries (org_id, endpoint_id, id)

do $$
begin
  if to_regclass('webhook_deliveries_key') is not null then
    alter table webhook_deliveries drop constraint if exists webhook_deliveries_pkey, add constraint webhook_deliveries_pkey primary key using index webhook_deliveries_key;
  end if;
end
$$

create unique index concurrently if not exists analytics_spool_key on analytics_spool (org_id, id)

do $$
begin
  if to_regclass('analytics_spool_key') is not null then
    alter table analytics_spool drop constraint if exists analytics_spool_pkey, add constraint analytics_spool_pkey primary key using index analytics_spool_key;
  end if;
end
$$

create unique index concurrently if not exists applications_key on applications (org_id, id)

do $$
begin
  if to_regclass('applications_key') is not null then
    alter table applications drop constraint if exists applications_pkey, add constraint applications_pkey primary key using index applications_key;
  end if;
end
$$

create unique index concurrently if not exists push_messages_key on push_messages (org_id, id)

do $$
begin
  if to_regclass('push_messages_key') is not null then
    alter table push_messages drop constraint if exists push_messages_pkey, add constraint push_messages_pkey primary key using index push_messages_key;
  end if;
end
$$

create unique index concurrently if not exists push_subscriptions_key on push_subscriptions (org_id, application_id, id)

do $$
begin
  if to_regclass('push_subscriptions_key') is not null then
    alter table push_subscriptions drop constraint if exists push_subscriptions_pkey, add constraint push_subscriptions_pkey primary key using index push_subscriptions_key;
  end if;
end
$$

create unique index concurrently if not exists push_recipients_key on push_recipients (org_id, message_id, provider, subscription_id)

do $$
begin
  if to_regclass('push_recipients_key') is not null then
    alter table push_recipients drop constraint if exists push_recipients_pkey, add constraint push_recipients_pkey primary key using index push_recipients_key;
  end if;
end
$$

create unique index concurrently if not exists push_batches_key on push_batches (org_id, message_id, provider, first_id)

do $$
begin
  if to_regclass('push_batches_key') is not null then
    alter table push_batches drop constraint if exists push_batches_pkey, add constraint push_batches_pkey primary key using index push_batches_key;
  end if;
end
$$

create unique index concurrently if not exists mdm_notifications_key on mdm_notifications (org_id, message_id)

do $$
begin
  if to_regclass('mdm_notifications_key') is not null then
    alter table mdm_notifications drop constraint if exists mdm_notifications_pkey, add constraint mdm_notifications_pkey primary key using index mdm_notifications_key;
  end if;
end
$$

-- The previous version names the second key of these tables in "on conflict". The first one is created before
-- it, because concurrent inserts meet at the index that was created first, and only one may be named.
create unique index concurrently if not exists push_configurations_key on push_configurations (org_id, application_id)

create unique index concurrently if not exists push_configurations_for_previous_version on push_configurations (application_id)

do $$
begin
  if to_regclass('push_configurations_key') is not null then
    alter table push_configurations drop constraint if exists push_configurations_pkey, add constraint push_configurations_pkey primary key using index push_configurations_key;
  end if;
end
$$

create unique index concurrently if not exists push_credentials_key on push_credentials (org_id, application_id, provider)

create unique index concurrently if not exists push_credentials_for_previous_version on push_credentials (application_id, provider)

do $$
begin
  if to_regclass('push_credentials_key') is not null then
    alter table push_credentials drop constraint if exists push_credentials_pkey, add constraint push_credentials_pkey primary key using index push_credentials_key;
  end if;
end
$$

create unique index concurrently if not exists push_identity_uses_key on push_identity_uses (org_id, jti)

create unique index concurrently if not exists push_identity_uses_for_previous_version on push_identity_uses (jti)

do $$
begin
  if to_regclass('push_identity_uses_key') is not null then
    alter table push_identity_uses drop constraint if exists push_identity_uses_pkey, add constraint push_identity_uses_pkey primary key using index push_identity_uses_key;
  end if;
end
$$

drop index concurrently if exists push_subscriptions_token

alter table push_configurations drop constraint if exists push_configurations_id_key

alter table mdm_enterprises drop constraint if exists mdm_enterprises_name_key

-- Positions count within an organization, mode and subject. The sequence remains while nodes of the previous
-- version draw from it; those of this version stay ahead of it.
alter table review_decisions alter column position set generated by default

create unique index concurrently if not exists review_decisions_in_order
  on review_decisions (org_id, mode, subject, position)

drop index concurrently if exists review_decisions_by_position

-- The endpoints of an organization are read once for all of its events, and the organization is known
-- wherever rows are inserted.
create or replace function queue_webhook_deliveries() returns trigger language plpgsql as $$
declare
  owner record;
begin
  for owner in
    select org_id, mode, array_agg(id) as ids, array_agg(type) as types from new_events group by 1, 2
  loop
    insert into webhook_deliveries (org_id, endpoint_id, id, event_id, event_type, due_at, created_at)
    select owner.org_id, w.id, new_time_id(), e.id, e.type, now(), now()
    from webhook_endpoints w cross join unnest(owner.ids, owner.types) as e (id, type)
    where w.org_id = owner.org_id and w.status <> 'deleted' and w.mode = owner.mode
      and e.type = any (w.events);
  end loop;
  return null;
end
$$

-- Members of both, in any order, at most so many.
create or replace function joined_sets(one integer[], other integer[], most integer) returns integer[]
language sql immutable parallel safe as $$
  select array(select distinct x from unnest(one || other) as u (x) limit most)
$$
