import { describe, expect, it } from 'vitest';
import { engineNotes } from '../../../src/providers/docker/engine/engine-notes.ts';

const MODERN = {
  SecurityOptions: ['name=apparmor', 'name=seccomp,profile=builtin', 'name=userns'],
  CgroupVersion: '2',
};

function notes(runc: string, info = MODERN, runtime = 'runc'): string[] {
  return engineNotes({
    version: {
      Components: [
        { Name: 'Engine', Version: '28.2.2' },
        { Name: 'runc', Version: runc },
      ],
    },
    info,
    runtime,
  });
}

describe('the notes about an engine', () => {
  it.each(['1.2.8', '1.2.10', '1.3.3', '1.4.0', '1.4.0-rc.3', '1.5.1', '2.0.0', 'v1.3.4'])(
    'is nothing if it is up to date, with runc %s [case 13]',
    (version) => {
      expect(notes(version)).toEqual([]);
    },
  );

  it.each([
    ['1.0.0-rc6', ['CVE-2019-5736', 'CVE-2024-21626', 'CVE-2025-31133']],
    ['1.0.0-rc10', ['CVE-2024-21626', 'CVE-2025-31133']],
    ['1.1.5+ds1', ['CVE-2024-21626', 'CVE-2025-31133']],
    ['1.1.12', ['CVE-2025-31133']],
    ['1.2.7', ['CVE-2025-31133']],
    ['1.3.2', ['CVE-2025-31133']],
    ['1.4.0-rc.2', ['CVE-2025-31133']],
  ])('names the ways out that runc %s has: %j', (version, flaws) => {
    const [note = ''] = notes(version);
    const all = ['CVE-2019-5736', 'CVE-2024-21626', 'CVE-2025-31133'];
    expect(all.filter((flaw) => note.includes(flaw))).toEqual(flaws);
    expect(note).toContain(`runc ${version} is older`);
  });

  it('has no note about runc if sandboxes run under another runtime', () => {
    expect(notes('1.0.0', MODERN, 'runsc')).toEqual([]);
  });

  it('has no note about a version that cannot be parsed or is not reported [case 13]', () => {
    expect(notes('unknown')).toEqual([]);
    expect(engineNotes({ version: {}, info: MODERN, runtime: undefined })).toEqual([]);
  });

  it('names the protections that the engine lacks', () => {
    const bare = notes('1.3.3', { SecurityOptions: ['name=seccomp'], CgroupVersion: '1' });
    expect(bare).toEqual([
      expect.stringContaining('userns-remap'),
      expect.stringContaining('AppArmor'),
      expect.stringContaining('version 1'),
    ]);
    expect(
      notes('1.3.3', { SecurityOptions: ['name=selinux', 'name=rootless'], CgroupVersion: '2' }),
    ).toEqual([]);
  });
});
