/*
 * Attempts to get out of a sandbox, each with one system call or a few. Prints a line for each: its name, and what came of
 * it: "allowed", or the name of the error. Does no harm where it succeeds. What it aims at comes from its environment.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static char buffer[8][512];
static int next_buffer;

/* A path below the folder that a variable names. */
static const char *in(const char *variable, const char *rest) {
  char *text = buffer[next_buffer++ % 8];
  const char *folder = getenv(variable);
  snprintf(text, 512, "%s/%s", folder ? folder : "/nonexistent", rest);
  return text;
}

static int number(const char *variable) { const char *v = getenv(variable); return v ? atoi(v) : 0; }

static void report(const char *name, long result) {
  if (result >= 0) printf("%s allowed\n", name);
  else printf("%s %s\n", name, strerrorname_np(errno));
  fflush(stdout);
}

static long opens(const char *path, int flags) {
  int fd = open(path, flags | O_CLOEXEC, 0644);
  if (fd >= 0) close(fd);
  return fd;
}

static long writes(const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (fd < 0) return -1;
  long n = write(fd, "attack\n", 7);
  close(fd);
  return n;
}

/* For what changes the caller, or may end it: gives the error, or 0; -2 when a signal ended it. */
static void in_child(const char *name, long (*attempt)(void)) {
  int ends[2];
  if (pipe(ends)) exit(9);
  pid_t child = fork();
  if (child == 0) {
    long result = attempt();
    int error = result < 0 ? errno : 0;
    if (write(ends[1], &error, sizeof error) < 0) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  int error = -1, status = 0;
  long n = read(ends[0], &error, sizeof error);
  close(ends[0]);
  waitpid(child, &status, 0);
  if (n != sizeof error) printf("%s SIG%s\n", name, WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : "?");
  else if (error) printf("%s %s\n", name, strerrorname_np(error));
  else printf("%s allowed\n", name);
  fflush(stdout);
}

static struct sockaddr_un unix_address(const char *path, socklen_t *length) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  *length = offsetof(struct sockaddr_un, sun_path) + strlen(path) + (path[0] == '@' ? 0 : 1);
  if (path[0] == '@') address.sun_path[0] = 0;
  return address;
}

static long unix_connect(int type, const char *path) {
  int fd = socket(AF_UNIX, type, 0);
  if (fd < 0) return -1;
  socklen_t length;
  struct sockaddr_un address = unix_address(path, &length);
  long result = connect(fd, (void *)&address, length);
  // Some versions of Node give an abstract name all the zeros behind it.
  if (result && path[0] == '@') result = connect(fd, (void *)&address, sizeof address);
  if (result == 0) result = send(fd, "attack", 6, MSG_NOSIGNAL);
  int error = errno;
  close(fd);
  errno = error;
  return result;
}

static long unix_pair_sends(int type) {
  int pair[2];
  if (socketpair(AF_UNIX, type, 0, pair)) return -1;
  socklen_t length;
  struct sockaddr_un address = unix_address(getenv("DATAGRAM"), &length);
  return sendto(pair[0], "attack", 6, 0, (void *)&address, length);
}

static long unix_listens(void) {
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return -1;
  socklen_t length;
  struct sockaddr_un address = unix_address(in("WORKSPACE", "own.sock"), &length);
  return bind(fd, (void *)&address, length) || listen(fd, 1) ? -1 : 0;
}

static struct sockaddr_in loopback(int port) {
  return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static long tcp_connects(void) {
  struct sockaddr_in address = loopback(number("TCP_PORT"));
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  return fd < 0 ? -1 : connect(fd, (void *)&address, sizeof address);
}

static long tcp_fastopen(void) {
  struct sockaddr_in address = loopback(number("TCP_PORT"));
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  return fd < 0 ? -1 : sendto(fd, "attack", 6, MSG_FASTOPEN | MSG_NOSIGNAL, (void *)&address, sizeof address);
}

static long udp_sends(void) {
  struct sockaddr_in address = loopback(number("UDP_PORT"));
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  return fd < 0 ? -1 : sendto(fd, "attack", 6, 0, (void *)&address, sizeof address);
}

static long tcp_listens(void) {
  struct sockaddr_in address = loopback(0);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return -1;
  return bind(fd, (void *)&address, sizeof address) || listen(fd, 1) ? -1 : 0;
}

static long types_into_terminal(unsigned long request) {
  setsid();
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) || unlockpt(master)) return -1;
  int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  if (slave < 0 || ioctl(slave, TIOCSCTTY, 0)) return -1;
  return syscall(SYS_ioctl, slave, request, "x");
}

static long types(void) { return types_into_terminal(0x5412); }
static long types_with_garbage(void) { return types_into_terminal(0xdeadbeef00005412UL); }

static long own_child_traced(void) {
  pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  long result = WIFSTOPPED(status) ? ptrace(PTRACE_KILL, child, 0, 0) : (errno = EPERM, -1);
  waitpid(child, &status, 0);
  return result;
}

static long memory_read(void) {
  char into[8];
  struct iovec local = {into, 8}, remote = {(void *)(unsigned long)strtoul(getenv("AGENT_ADDRESS") ?: "0", 0, 16), 8};
  return process_vm_readv(number("AGENT"), &local, 1, &remote, 1, 0);
}

static long descriptor_stolen(void) {
  int pidfd = syscall(SYS_pidfd_open, number("AGENT"), 0);
  return pidfd < 0 ? -1 : syscall(438, pidfd, 1, 0);
}

static long agent_traced(void) {
  long result = ptrace(PTRACE_SEIZE, number("AGENT"), 0, 0);
  if (result == 0) ptrace(PTRACE_DETACH, number("AGENT"), 0, 0);
  return result;
}

/* Each of these sets what is set already. Process 0 is the caller itself. */
static long limit_set(int pid) {
  struct rlimit limit;
  getrlimit(RLIMIT_CORE, &limit);
  return prlimit(pid, RLIMIT_CORE, &limit, NULL);
}
static long limit_read(int pid) {
  struct rlimit limit;
  return prlimit(pid, RLIMIT_CORE, NULL, &limit);
}
static long affinity_set(int pid) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  return sched_setaffinity(pid, sizeof set, &set);
}
static long scheduler_set(int pid) { return sched_setscheduler(pid, SCHED_OTHER, &(struct sched_param){0}); }
static long parameters_set(int pid) { return sched_setparam(pid, &(struct sched_param){0}); }
static long attributes_set(int pid) {
  struct { unsigned size, policy; unsigned long flags; int nice; unsigned priority; unsigned long times[3]; } attributes = {.size = 48};
  return syscall(SYS_sched_setattr, pid, &attributes, 0);
}
static long priority_set(int pid) { return setpriority(PRIO_PROCESS, pid, getpriority(PRIO_PROCESS, 0)); }
static long io_priority_set(int pid) { return syscall(SYS_ioprio_set, 1, pid, syscall(SYS_ioprio_get, 1, 0)); }
static long group_priority_set(int pid) { return setpriority(PRIO_PGRP, pid, 0); }
/* In a process namespace the user's processes are those of the namespace. */
static long user_priority_set(int pid) {
  errno = 0;
  getpriority(PRIO_PROCESS, pid);
  return errno ? -1 : setpriority(PRIO_USER, geteuid(), 0);
}
static long group_io_priority_set(int pid) { return syscall(SYS_ioprio_set, 2, pid, syscall(SYS_ioprio_get, 1, 0)); }
static long signalled_by_descriptor(int pid) {
  int pidfd = syscall(SYS_pidfd_open, pid, 0);
  return pidfd < 0 ? -1 : syscall(424, pidfd, 0, 0, 0);
}
static long signal_queued(int pid) { siginfo_t info = {.si_code = SI_QUEUE}; return syscall(SYS_rt_sigqueueinfo, pid, 0, &info); }
static long thread_signalled(int pid) { return syscall(SYS_tgkill, pid, pid, 0); }
static long pages_moved(int pid) { return syscall(SYS_move_pages, pid, 0UL, 0, 0, 0, 0); }
static long pages_migrated(int pid) { unsigned long nodes = 1; return syscall(SYS_migrate_pages, pid, 8, &nodes, &nodes); }
static long compared(int pid) { return syscall(SYS_kcmp, pid, pid, 1, 0, 0); }
static long locks_listed(int pid) { void *head; size_t size; return syscall(SYS_get_robust_list, pid, &head, &size); }
static long grouped(int pid) { return setpgid(pid, 0); }
static long core_shared(int pid) { return prctl(62, 2, pid, 0, 0); }
static long memory_advised(int pid) {
  int pidfd = syscall(SYS_pidfd_open, pid, 0);
  struct iovec remote = {(void *)(unsigned long)strtoul(getenv("AGENT_ADDRESS") ?: "0", 0, 16), 4096};
  return pidfd < 0 ? -1 : syscall(440, pidfd, &remote, 1, 20, 0);
}

static const struct { const char *name; long (*attempt)(int pid); } ON_PROCESSES[] = {
  {"limit", limit_set},
  {"read-limit", limit_read},
  {"affinity", affinity_set},
  {"scheduler", scheduler_set},
  {"parameters", parameters_set},
  {"attributes", attributes_set},
  {"priority", priority_set},
  {"io-priority", io_priority_set},
};

static const struct { const char *name; long (*attempt)(int pid); } ON_OTHERS[] = {
  {"group-priority", group_priority_set},
  {"group-io-priority", group_io_priority_set},
  {"signal-by-descriptor", signalled_by_descriptor},
  {"signal-queued", signal_queued},
  {"signal-thread", thread_signalled},
  {"move-pages", pages_moved},
  {"migrate-pages", pages_migrated},
  {"compare", compared},
  {"list-locks", locks_listed},
  {"join-group", grouped},
  {"share-core", core_shared},
  {"advise-memory", memory_advised},
};

static void attack_by_number(void) {
  char name[64];
  for (unsigned i = 0; i < sizeof ON_PROCESSES / sizeof *ON_PROCESSES; i++) {
    snprintf(name, sizeof name, "own.%s", ON_PROCESSES[i].name);
    report(name, ON_PROCESSES[i].attempt(0));
    snprintf(name, sizeof name, "other.%s", ON_PROCESSES[i].name);
    report(name, ON_PROCESSES[i].attempt(number("AGENT")));
  }
  for (unsigned i = 0; i < sizeof ON_OTHERS / sizeof *ON_OTHERS; i++) {
    snprintf(name, sizeof name, "other.%s", ON_OTHERS[i].name);
    report(name, ON_OTHERS[i].attempt(number("AGENT")));
  }
  /* Would change every process of root. */
  if (geteuid() != 0) report("other.user-priority", user_priority_set(number("AGENT")));
}

static long new_user(void) { return unshare(CLONE_NEWUSER | CLONE_NEWNS); }
static long new_user_by_clone(void) { return syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0); }
static long new_user_by_clone3(void) {
  struct { unsigned long flags, a, b, c, signal, d, e, f, g, h, i; } arguments = {.flags = CLONE_NEWUSER, .signal = SIGCHLD};
  long result = syscall(435, &arguments, sizeof arguments);
  if (result == 0) _exit(0);
  return result;
}

static long handle_opened(void) {
  struct { struct file_handle head; char rest[128]; } handle = {.head.handle_bytes = 128};
  int mount;
  if (name_to_handle_at(AT_FDCWD, in("OUTSIDE", "file"), &handle.head, &mount, 0)) return -1;
  int at = open(getenv("OUTSIDE"), O_RDONLY);
  return open_by_handle_at(at, &handle.head, O_WRONLY);
}

#ifdef __x86_64__
/* socket(AF_INET, SOCK_STREAM, 0) by the numbers of 32-bit programs. */
static long socket_of_32_bits(void) {
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(359), "b"(2), "c"(1), "d"(0) : "memory");
  if (result < 0) { errno = -result; return -1; }
  return result;
}
static long socket_of_x32(void) { return syscall(0x40000000 + 41, AF_INET, SOCK_STREAM, 0); }
#else
static long socket_of_32_bits(void) { raise(SIGSYS); return -1; }
static long socket_of_x32(void) { errno = ENOSYS; return -1; }
#endif

static long entered_root(void) { return chroot("/"); }
static long mounted(void) {
  long result = mount("none", in("WORKSPACE", "sub"), "tmpfs", 0, 0);
  if (result == 0) umount2(in("WORKSPACE", "sub"), MNT_DETACH);
  return result;
}
static long vsock(void) { return socket(AF_VSOCK, SOCK_STREAM, 0); }
static long disk_read(void) { return opens(getenv("DISK") ?: "/dev/nonexistent", O_RDONLY); }

static long leaked_used(void) {
  int fd = openat(number("LEAKED"), "leaked", O_WRONLY | O_CREAT, 0644);
  if (fd >= 0) close(fd);
  return fd;
}

static long input_rewritten(void) {
  struct stat stat;
  if (fstat(0, &stat) || !S_ISREG(stat.st_mode)) { errno = ENOENT; return -1; }
  return opens("/proc/self/fd/0", O_WRONLY);
}

static long privileges_gained(void) {
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) { errno = EPERM; return -1; }
  return 0;
}

static long capable(void) {
  char line[256];
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (!strncmp(line, "CapEff:", 7) || !strncmp(line, "CapPrm:", 7))
      if (strtoull(line + 7, 0, 16) != 0) return 0;
  errno = EPERM;
  return -1;
}

static void attack_files(void) {
  const char *outside = strdup(in("OUTSIDE", "file"));
  report("file.create-in-workspace", opens(in("WORKSPACE", "new"), O_WRONLY | O_CREAT));
  report("file.write-in-subfolder", writes(in("WORKSPACE", "sub/new")));
  mkdir(in("WORKSPACE", "one"), 0755);
  mkdir(in("WORKSPACE", "two"), 0755);
  writes(in("WORKSPACE", "one/f"));
  report("file.rename-across-folders", rename(in("WORKSPACE", "one/f"), in("WORKSPACE", "two/f")));
  report("file.link-in-workspace", link(in("WORKSPACE", "two/f"), in("WORKSPACE", "one/g")));
  report("file.chmod-in-workspace", chmod(in("WORKSPACE", "two/f"), 0755));
  report("file.write-in-tmp", writes(in("TEMPORARY", "new")));
  report("file.shared-memory", opens("/dev/shm/oxbow-attack", O_WRONLY | O_CREAT));
  unlink("/dev/shm/oxbow-attack");
  report("file.read-outside", opens(outside, O_RDONLY));
  report("outside.create", opens(in("OUTSIDE", "new"), O_WRONLY | O_CREAT));
  report("outside.modify", writes(outside));
  report("outside.truncate", truncate(outside, 1));
  report("outside.unlink", unlink(in("OUTSIDE", "doomed")));
  report("outside.rename-in", rename(in("OUTSIDE", "moved"), in("WORKSPACE", "moved")));
  report("outside.link-in", link(outside, in("WORKSPACE", "linked")));
  report("outside.mkdir", mkdir(in("OUTSIDE", "folder"), 0755));
  report("outside.symlink-made-before", writes(in("WORKSPACE", "way-out")));
  if (symlink(outside, in("WORKSPACE", "own-way-out"))) perror("symlink");
  report("outside.symlink-made-inside", writes(in("WORKSPACE", "own-way-out")));
  report("outside.through-proc-root", writes(in("OUTSIDE_BY_PROC", "file")));
  report("outside.through-leaked-descriptor", leaked_used());
  report("outside.through-input", input_rewritten());
  report("outside.by-handle", handle_opened());
  report("metadata.chmod", chmod(outside, 0666));
  report("metadata.utime", utimensat(AT_FDCWD, outside, NULL, 0));
  report("metadata.xattr", setxattr(outside, "user.attack", "x", 1, 0));
  report("hardlink.made-before", writes(in("WORKSPACE", "old-link")));
  report("hidden.read", opens(in("HIDDEN", "secret"), O_RDONLY));
  report("hidden.list", opens(in("HIDDEN", ""), O_RDONLY | O_DIRECTORY));
  report("hidden.file", opens(in("OUTSIDE", "hidden-file"), O_RDONLY));
}

static void attack_protected(void) {
  report("git.config", writes(in("WORKSPACE", ".git/config")));
  report("git.hook", writes(in("WORKSPACE", ".git/hooks/post-checkout")));
  if (symlink(".git", in("WORKSPACE", "git-link"))) perror("symlink");
  report("git.through-symlink", writes(in("WORKSPACE", "git-link/info-new")));
  report("git.hardlink-out", link(in("WORKSPACE", ".git/config"), in("WORKSPACE", "config-link")));
  report("git.chmod", chmod(in("WORKSPACE", ".git/config"), 0666));
  report("git.rename", rename(in("WORKSPACE", ".git"), in("WORKSPACE", "moved-git")));
  report("agent.write", writes(in("WORKSPACE", ".oxbow/config.toml")));
  report("absent.agents", mkdir(in("WORKSPACE", ".agents"), 0755));
  report("absent.codex-in-tmp", mkdir(in("TEMPORARY", ".codex"), 0755));
  report("absent.git-in-tmp", writes(in("TEMPORARY", ".git")));
}

static void attack_processes(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/environ", number("AGENT"));
  report("process.environment", opens(path, O_RDONLY));
  snprintf(path, sizeof path, "/proc/%d/mem", number("AGENT"));
  report("process.memory", opens(path, O_RDWR));
  snprintf(path, sizeof path, "/proc/%d/root%s", number("AGENT"), in("OUTSIDE", "file"));
  report("process.root", writes(path));
  report("process.kill", kill(number("AGENT"), 0));
  report("process.trace", agent_traced());
  report("process.read-memory", memory_read());
  report("process.steal-descriptor", descriptor_stolen());
  report("process.trace-own-child", own_child_traced());
  report("process.gain-privileges", privileges_gained());
  report("process.capabilities", capable());
}

static void attack_sockets(void) {
  int pair[2];
  report("socket.pair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  report("socket.unix-connect", unix_connect(SOCK_STREAM, getenv("STREAM")));
  report("socket.unix-connect-in-workspace", unix_connect(SOCK_STREAM, getenv("WORKSPACE_STREAM")));
  report("socket.unix-abstract", unix_connect(SOCK_STREAM, getenv("ABSTRACT")));
  report("socket.unix-datagram", unix_connect(SOCK_DGRAM, getenv("DATAGRAM")));
  report("socket.unix-datagram-by-pair", unix_pair_sends(SOCK_DGRAM));
  report("socket.unix-raw-by-pair", unix_pair_sends(SOCK_RAW));
  report("socket.unix-listen", unix_listens());
  report("socket.tcp-connect", tcp_connects());
  report("socket.tcp-fastopen", tcp_fastopen());
  report("socket.tcp-listen", tcp_listens());
  udp_sends();
  report("socket.netlink-audit", socket(AF_NETLINK, SOCK_RAW, 9));
  in_child("socket.vsock", vsock);
  in_child("socket.of-32-bits", socket_of_32_bits);
  in_child("socket.of-x32", socket_of_x32);
}

static long queue_reached(void) { return msgget(number("QUEUE"), 0); }

static void attack_kernel(void) {
  char params[256] = {0};
  report("kernel.io_uring", syscall(425, 8, params));
  report("kernel.keyctl", syscall(SYS_keyctl, 0, -3, 1));
  report("kernel.userfaultfd", syscall(SYS_userfaultfd, O_CLOEXEC | 1));
  report("kernel.queue-of-others", queue_reached());
  in_child("kernel.new-user", new_user);
  in_child("kernel.new-user-by-clone", new_user_by_clone);
  in_child("kernel.new-user-by-clone3", new_user_by_clone3);
  in_child("kernel.type-into-terminal", types);
  in_child("kernel.type-with-garbage", types_with_garbage);
  if (geteuid() != 0) return;
  in_child("root.chroot", entered_root);
  in_child("root.mount", mounted);
  report("root.core-pattern", opens("/proc/sys/kernel/core_pattern", O_WRONLY));
  report("root.mknod", mknod(in("WORKSPACE", "device"), S_IFBLK | 0600, 0x0800));
  report("root.cgroup", mkdir(in("CGROUP", "oxbow-attack"), 0755));
  rmdir(in("CGROUP", "oxbow-attack"));
  report("root.disk", disk_read());
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  attack_files();
  attack_protected();
  attack_processes();
  attack_by_number();
  attack_sockets();
  attack_kernel();
  return 0;
}
