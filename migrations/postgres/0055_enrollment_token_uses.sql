-- Number of enrollments with each token.

alter table mdm_enrollment_tokens add column uses integer not null default 0;

update mdm_enrollment_tokens t set uses = d.uses
from (
  select org_id, enrollment_token_id, count(*)::integer as uses from mdm_devices
  where enrollment_token_id is not null group by 1, 2
) d
where t.org_id = d.org_id and t.id = d.enrollment_token_id;
