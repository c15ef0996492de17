import { Mime } from 'mime';
import otherTypes from 'mime/types/other.js';
import standardTypes from 'mime/types/standard.js';

const ANY_BYTES = 'application/octet-stream';

/** Types of data and programs that the registered ones lack, or name differently. */
const types = new Mime(standardTypes, otherTypes).define(
  {
    'application/vnd.apache.parquet': ['parquet'],
    'application/x-ndjson': ['jsonl', 'ndjson'],
    'text/x-python': ['py'],
    'text/x-typescript': ['ts'],
  },
  true,
);

/** The media type that the end of a name stands for, else that of any bytes. */
export function mediaTypeOf(name: string): string {
  return types.getType(name) ?? ANY_BYTES;
}
