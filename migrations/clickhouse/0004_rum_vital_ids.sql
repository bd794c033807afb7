-- Tells which vitals may be reports of the same sample: rows with the same id in the same session have the
-- same number, and few others do. Zero stands for no id. Comparing four bytes takes a fraction of the time
-- of comparing the texts. Rows that are there already compute it when they are read.
alter table rum_events add column if not exists vital_hash UInt32
  default if(vital_id = '', 0, greatest(1, toUInt32(cityHash64(vital_name, session_id, vital_id))))
  after vital_id;
