/** Why no sandbox can be started, and what to do about it. */
export interface Refusal {
  readonly reason: string;
  readonly remedy: string;
}

/** How a machine is set as to namespaces of ordinary users. */
export interface Switches {
  readonly userNamespacesOff: boolean;
  readonly restrictedByAppArmor: boolean;
}

const OTHERWISE = 'Or use Docker, or the embedded engine.';

/** Explains what was printed instead of a sandbox being started. */
export function describeStartFailure(printed: string, switches: Switches): Refusal {
  const said = printed.trim().split('\n').at(-1) ?? '';
  if (switches.userNamespacesOff) {
    return {
      reason: `user namespaces are switched off on this machine (${said})`,
      remedy: `As root: sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000. ${OTHERWISE}`,
    };
  }
  if (/mount(?:ing)? proc/i.test(printed)) {
    return {
      reason: `no /proc of its own can be mounted, as in most containers (${said})`,
      remedy: `Run this outside of a container, or give the container an unmasked /proc (Docker: --security-opt systempaths=unconfined). ${OTHERWISE}`,
    };
  }
  if (switches.restrictedByAppArmor) {
    return {
      reason: `AppArmor keeps ordinary programs from user namespaces, as on Ubuntu (${said})`,
      remedy: `As root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or a profile for /usr/bin/unshare and bwrap that allows userns. ${OTHERWISE}`,
    };
  }
  if (/not permitted|permission denied|unshare failed/i.test(printed)) {
    return {
      reason: `the kernel refuses namespaces here, as in most containers (${said})`,
      remedy: `Run this outside of a container, or allow it user namespaces. ${OTHERWISE}`,
    };
  }
  return { reason: `no sandbox starts: ${said || 'nothing was said'}`, remedy: OTHERWISE };
}
