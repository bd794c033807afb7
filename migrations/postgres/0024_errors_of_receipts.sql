-- The refused entries that the response named (content.errors): a repeated body gets the same response.
-- Null when every entry was accepted, and in receipts of older versions.
alter table intake_receipts add column errors json;
