-- online
-- Rows that a move brings or removes are not new and not gone: they are in no event, count or sum a second time,
-- and append-only tables let them go.
create or replace trigger ledger_transfers_append_only
  before update or delete or truncate on ledger_transfers for each statement
  when (current_setting('vigil.moves_organization', true) is distinct from 'on')
  execute function refuse_change()

create or replace trigger mdm_audit_log_append_only
  before update or delete or truncate on mdm_audit_log for each statement
  when (current_setting('vigil.moves_organization', true) is distinct from 'on')
  execute function refuse_change()

create or replace trigger events_are_delivered after insert on events
  referencing new table as new_events for each statement
  when (current_setting('vigil.moves_organization', true) is distinct from 'on')
  execute function queue_webhook_deliveries()

create or replace trigger mdm_audit_entries_are_counted after insert on mdm_audit_log
  referencing new table as new_entries for each statement
  when (current_setting('vigil.moves_organization', true) is distinct from 'on')
  execute function count_mdm_audit_entries()

create or replace trigger mdm_devices_are_counted_when_made after insert on mdm_devices
  referencing new table as new_devices for each statement
  when (current_setting('vigil.moves_organization', true) is distinct from 'on')
  execute function count_mdm_devices()

create or replace trigger mdm_devices_are_counted_when_gone after delete on mdm_devices
  referencing old table as old_devices for each statement
  when (current_setting('vigil.moves_organization', true) is distinct from 'on')
  execute function count_mdm_devices()

create or replace trigger case_items_added after insert on reviews
  referencing new table as new_reviews for each statement
  when (current_setting('vigil.moves_organization', true) is distinct from 'on')
  execute function count_items_of_cases()

create or replace trigger case_items_deleted after delete on reviews
  referencing old table as old_reviews for each statement
  when (current_setting('vigil.moves_organization', true) is distinct from 'on')
  execute function count_items_of_cases()
