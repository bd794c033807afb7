-- Enrollment tokens that enrolled a device, and tokens that were ended before they expired.

alter table mdm_enrollment_tokens
  -- When the first device was reported that enrolled with it.
  add column used_at timestamptz,
  -- When the provider confirmed that it no longer works.
  add column ended_at timestamptz;

update mdm_enrollment_tokens t set used_at = d.used_at
from (
  select org_id, enrollment_token_id, min(enrolled_at) as used_at from mdm_devices
  where enrollment_token_id is not null group by 1, 2
) d
where t.org_id = d.org_id and t.id = d.enrollment_token_id;
