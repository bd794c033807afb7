/** Fields with few different values, so that a misspelled value can be compared with all of them. */
export const FIELD_NAMES = ['device_id', 'category', 'environment', 'error_type'] as const
export type NamedField = (typeof FIELD_NAMES)[number]
