-- Browsers in which a person wants to be notified. `sealed` has the address at the push service of the browser, its
-- keys, and the session that they end with. `user_id` stays null: it marks the one channel of a member, for e-mail.
alter table notification_channels add column browser_of uuid;
alter table notification_channels drop constraint notification_channels_kind_check;
alter table notification_channels add constraint notification_channels_kind_check
  check (kind in ('email', 'slack', 'teams', 'pagerduty', 'webhook', 'push', 'browser')) not valid;
alter table notification_channels validate constraint notification_channels_kind_check;
create index notification_channels_of_browsers on notification_channels (org_id, browser_of)
  where browser_of is not null;
