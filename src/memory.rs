//! Memory as the kernel sees it. The program's allocator is the system's, which asks for huge pages under large
//! allocations.
//!
//! Linking walks hundreds of megabytes in no order; with pages of 4 KB most steps miss the processor's page table
//! cache, which in a virtual machine costs two walks. Huge pages saved 3 to 14 % of the wall clock of `link`.

use std::alloc::{GlobalAlloc, Layout, System};

/// Allocations from this size on go back to the kernel when they are freed, in bytes. Left to itself the C library moves
/// this limit up to 32 MB and then keeps what was freed below something still in use.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const RETURNED: libc::c_int = 1 << 20;

/// Smallest allocation that gets huge pages, in bytes: less holds hardly one of them whole.
const LARGE: usize = 4 << 20;
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// To be called when a program begins: from then on large allocations that are freed go back to the kernel.
pub fn return_large_allocations() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it changes settings of the allocator only.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, RETURNED);
    }
}

/// Gives back to the kernel what was freed, where a step ends that has taken much.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it touches nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// [`System`] with huge pages under large allocations.
pub struct HugePages;

// SAFETY: every call goes to `System` unchanged; advice about pages changes nothing that a program can see.
unsafe impl GlobalAlloc for HugePages {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract, which is the same.
        advised(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(start, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        advised(unsafe { System.realloc(start, layout, size) }, size)
    }
}

#[inline]
fn advised(start: *mut u8, size: usize) -> *mut u8 {
    if size >= LARGE {
        advise(start, size);
    }
    start
}

/// Asks for huge pages where whole ones fit. The kernel may refuse; nothing depends on it.
#[cold]
fn advise(start: *mut u8, size: usize) {
    #[cfg(target_os = "linux")]
    {
        let skipped = start.align_offset(HUGE_PAGE);
        if start.is_null() || skipped >= size {
            return;
        }
        // SAFETY: the range lies within the allocation, and this advice leaves its contents as they are.
        unsafe {
            libc::madvise(start.add(skipped).cast(), (size - skipped) / HUGE_PAGE * HUGE_PAGE, libc::MADV_HUGEPAGE);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, size);
}
