import type { Generated } from 'kysely'

export const MANAGEMENT_MODES = ['fully_managed', 'work_profile'] as const
export type ManagementMode = (typeof MANAGEMENT_MODES)[number]

/** `used`: a token for one device that has enrolled one. */
export const TOKEN_STATES = ['active', 'used', 'ended', 'expired'] as const
export type TokenState = (typeof TOKEN_STATES)[number]

/** The states of the provider, in lower case (OP-31). */
export const DEVICE_STATES = [
  'active',
  'disabled',
  'deleted',
  'provisioning',
  'lost',
  'preparing_for_migration',
  'deactivated_by_device_finance',
] as const
export type DeviceState = (typeof DEVICE_STATES)[number]

export const OWNERSHIPS = ['company_owned', 'personally_owned'] as const
export type Ownership = (typeof OWNERSHIPS)[number]

export const COMPLIANCE_STATES = ['compliant', 'grace_period', 'non_compliant', 'unknown'] as const
export type ComplianceState = (typeof COMPLIANCE_STATES)[number]

export const COMMAND_TYPES = [
  'LOCK',
  'REBOOT',
  'RESET_PASSWORD',
  'RELINQUISH_OWNERSHIP',
  'CLEAR_APP_DATA',
  'WIPE',
] as const
export type CommandType = (typeof COMMAND_TYPES)[number]

export const COMMAND_STATUSES = [
  'queued',
  'sent',
  'acknowledged',
  'failed',
  'expired',
  'cancelled',
] as const
export type CommandStatus = (typeof COMMAND_STATUSES)[number]

export const DISPATCH_KINDS = [
  'publish_policy',
  'assign_policy',
  'delete_device',
  'issue_command',
] as const
export type DispatchKind = (typeof DISPATCH_KINDS)[number]

export type ActorType = 'user' | 'system' | 'provider'

export type NonComplianceDetail = {
  setting_name: string
  field_path: string | null
  package_name: string | null
  reason: string
  specific_reason: string | null
  installation_failure_reason: string | null
  first_seen_at: string
  /** The device counts as non-compliant from this time on. */
  grace_period_expires_at: string
}

export type MdmTables = {
  mdm_connection: {
    id: boolean
    project_id: string
    client_email: string
    private_key_id: string
    private_key: string
    connected_at: Date
  }
  mdm_request_counts: { class: string; started_at: Date; requests: number }
  mdm_request_pauses: { class: string; paused_until: Date }
  mdm_signups: {
    org_id: string
    name: string
    created_at: Date
    leased_until: Generated<Date | null>
  }
  mdm_enterprises: {
    org_id: string
    name: string
    project_id: string
    display_name: string
    created_at: Date
    listing_due_at: Date
    listing_leased_until: Date | null
    listing_lease_id: string | null
    mass_missing_since: Date | null
  }
  mdm_policies: {
    org_id: string
    id: string
    name: string
    description: string
    management_mode: ManagementMode
    policy_json: Record<string, unknown>
    version: number
    published_version: number | null
    provider_version: number | null
    publish_error: string | null
    created_at: Date
    updated_at: Date
  }
  mdm_policy_versions: {
    org_id: string
    policy_id: string
    version: number
    policy_json: Record<string, unknown>
    created_by: string | null
    created_at: Date
  }
  mdm_groups: {
    org_id: string
    id: string
    name: string
    policy_id: string | null
    created_at: Date
    updated_at: Date
  }
  mdm_enrollment_tokens: {
    org_id: string
    id: string
    policy_id: string
    management_mode: ManagementMode
    provider_name: string
    duration_hours: number
    one_time: boolean
    token_value: string
    qr_content: string
    expires_at: Date
    used_at: Generated<Date | null>
    uses: Generated<number>
    ended_at: Generated<Date | null>
    created_by: string | null
    created_at: Date
  }
  mdm_devices: {
    org_id: string
    id: string
    provider_name: string
    state: DeviceState
    management_mode: ManagementMode
    ownership: Ownership
    ownership_type: Ownership
    name: string | null
    assigned_user_id: string | null
    custom_attributes: Record<string, unknown>
    group_id: string | null
    enrolled_policy_id: string | null
    policy_id: string | null
    enrollment_token_id: string | null
    applied_policy_id: string | null
    applied_policy_version: number | null
    policy_error: string | null
    compliance_state: ComplianceState
    non_compliance_details: NonComplianceDetail[]
    first_seen: Record<string, string>
    policy_compliant: boolean | null
    grace_period_expires_at: Date | null
    compliance_due_at: Date | null
    brand: string | null
    manufacturer: string | null
    model: string | null
    serial_number: string | null
    enterprise_specific_id: string | null
    os_version: string | null
    security_patch_level: string | null
    api_level: number | null
    enrolled_at: Date
    last_report_at: Date | null
    deletion_requested_at: Date | null
    deleted_at: Date | null
    deleted_by: 'request' | 'report' | 'listing' | null
    missing_since: Date | null
    created_at: Date
    updated_at: Date
  }
  mdm_former_names: { org_id: string; provider_name: string; created_at: Date }
  mdm_group_commands: {
    org_id: string
    id: string
    group_id: string
    type: CommandType
    total: number
    skipped: number
    created_by: string | null
    created_at: Date
  }
  mdm_commands: {
    org_id: string
    id: string
    device_id: string
    group_command_id: string | null
    type: CommandType
    parameters: CommandParameters
    new_password: string | null
    status: CommandStatus
    error: string | null
    operation_name: string | null
    unsure_since: Date | null
    expires_at: Date
    check_due_at: Date | null
    created_by: string | null
    created_at: Date
    sent_at: Date | null
    completed_at: Date | null
  }
  mdm_dispatches: {
    org_id: string
    kind: DispatchKind
    subject_id: string
    revision: number
    attempts: number
    due_at: Date
    lease_id: string | null
    leased_until: Date | null
    error: string | null
    created_at: Date
  }
  mdm_notifications: { message_id: string; received_at: Date }
  mdm_audit_log: {
    org_id: string
    id: string
    action: string
    actor_type: ActorType
    actor_id: string | null
    target_type: string
    target_id: string | null
    device_id: string | null
    before: Record<string, unknown> | null
    after: Record<string, unknown> | null
    created_at: Date
  }
  mdm_audit_counts: { org_id: string; day: Date; action: string; place: number; entries: number }
  mdm_device_counts: {
    org_id: string
    state: DeviceState
    management_mode: ManagementMode
    compliance_state: ComplianceState
    group_id: string
    devices: number
  }
}

export type CommandParameters = {
  package_names?: string[]
  reset_password_flags?: string[]
}
