-- Whether the e-mail of an account is known to be its user's. A link of an invitation proves nothing
-- about an address: whoever invites it can open the link. So an address has one proved account at the
-- most, and any number of others, each of which came from an invitation.
alter table users add column email_proved_at timestamptz;

-- Accounts that an operator created, or the first start. The others accepted an invitation in the
-- moment of their creation.
update users set email_proved_at = created_at
where not exists (
  select from audit_log
  where actor_user_id = users.id and action = 'invitation.accepted'
    and at < users.created_at + interval '1 minute');

drop index users_email;
create unique index users_proved_email on users (lower(email)) where email_proved_at is not null;
-- The accounts that a sign-in may mean.
create index users_by_email on users (lower(email), created_at);
